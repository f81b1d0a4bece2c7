"""Why two runs differ, each reason by itself.

explain    how the output on D can be that on D′; coins: probabilities of coins; derived: functions of noise.
parting    errors, seeds and draws that differ. gaps: noise for a key that only one dataset has.
rejection  noise that is drawn again. sampling: random batches.
paths      all paths of a program of coins. chance: whether what differs may be noise all the same.
withdraw   takes back what noise that could not be followed may explain. rows: the rows of the ledger.
"""
