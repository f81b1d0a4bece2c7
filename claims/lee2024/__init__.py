"""Lee, Liu and Lu (2024): rank-dependent risk by sampling, and lower bounds by fingerprinting."""

from claims import Adjacency, Misprint, Paper

PAPER = Paper(
    "lee2024",
    reference="Lee, Liu, Lu (2024). The Power of Sampling: Dimension-free Risk Bounds in Private ERM.",
    adjacency=Adjacency.REPLACE,
    findings=(
        "lemma-2.6",
        "theorem-3.7",
        "assumption-1.2",
        "theorem-2.2-privacy",
        "lemma-3.5",
        "definition-c.4",
        "theorem-3.7-proof",
        "theorem-3.1:by-extension",
        "theorem-2.2-oracle-proof:risk",
        "section-1.1",
        "lemma-2.5",
    ),
    misprints=(
        Misprint(
            "Table 1, row of pure privacy",
            "every p",
            "p = 2, for which Theorem D.2 is proved; the packing of Lemma D.1 on the losses of Theorem 3.7 "
            "gives it for every p",
        ),
        Misprint(
            "Section 2, before Lemma 2.7",
            "that the second term of the variance decomposition is zero",
            r"at most $G_k^2/\mu$ times the rest, as in appendix E: for $f=a|x_1|+b\|x_2\|$ it is "
            r"$b^2\operatorname{Var}\|x_2\|$",
        ),
        Misprint(
            "Section 3.2",
            r"the $\ell_\infty$ unit ball for $K$, and records in $\{-1,1\}^d$",
            r"$K=[0,1]^d$ and $\{0,1\}^d$, as in the example and the last paragraph: on $[-1,1]^d$ the risk "
            r"of the example is not constant, and $3d/2$ at a corner",
        ),
        Misprint(
            "Definition 3.3, section 3.1",
            "a convex set that may depend on the algorithm",
            "one set for all algorithms, as the proof of Theorem 3.4 takes it",
        ),
        Misprint(
            "Appendix C.2",
            "“the linear loss whose minimizer is precisely the mean”",
            "the normalised mean: on a ball a linear loss is least on the sphere",
        ),
        Misprint(
            "Lemma D.1, appendix D",
            r"$\varepsilon>0$",
            r"$\varepsilon\le d/20$, so that $n^*\ge1$: at $d=4$, $n=2$, $\varepsilon=10$ randomised "
            r"response over the 17 values of each record returns the dataset itself with probability 0.9985",
        ),
        Misprint(
            "Appendix E.1",
            r"$\mathbb E\|\theta-\theta^*_\mu\|^2\le d/\mu$",
            r"$d/(\eta\mu)$, as $\eta\mu$ is the strong convexity; the radius stands inside a logarithm only",
        ),
        Misprint(
            "Theorem 3.7, proof, appendix G.5",
            r"$6kd/n+d/3000<d/900$ and, from (31), $k/n\le2e^k\delta$",
            r"$d/750$, which is enough for Markov's inequality, and $3.17\,e^k\delta$, which moves $k$ by "
            r"a constant",
        ),
        Misprint(
            "Theorem 3.7, proof, appendix G.5",
            r"$\operatorname{Trace}(D^*_{-i^*},c')$ after “post-processing”",
            r"$\operatorname{Trace}(D^*,c')$, for which the codebook does not change with the record",
        ),
    ),
    text="arXiv:2105.13637v4; in our copy primes, bars, superscripts and some fractions are not legible",
)
