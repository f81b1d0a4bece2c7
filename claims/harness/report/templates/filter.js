"use strict";
const box = document.querySelector(".filters");
const rows = [...document.querySelectorAll("#catalogue-table tbody tr")];
const body = rows.length ? rows[0].parentNode : null;
const texts = rows.map((row) => row.textContent.toLowerCase());
const names = rows.map((row) => row.cells[0].textContent.toLowerCase());
const words = document.getElementById("words");
const chosen = [...box.querySelectorAll("select")];
function show() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const named = (k) => wanted.every((word) => names[k].includes(word));
  let count = 0;
  // Results of that name come before those whose text mentions it.
  const order = [...rows.keys()].sort((a, b) => named(b) - named(a) || a - b);
  for (const k of order) {
    const fits = wanted.every((word) => texts[k].includes(word)) &&
      chosen.every((each) => !each.value || rows[k].dataset[each.dataset.filter] === each.value);
    rows[k].hidden = !fits;
    count += fits;
    body.append(rows[k]);
  }
  // What is searched for stands right below the search.
  document.querySelector(".overview").hidden = wanted.length > 0 || chosen.some((each) => each.value);
  document.getElementById("shown").textContent = `${count} of ${rows.length}`;
}
box.hidden = false;
words.addEventListener("input", show);
chosen.forEach((each) => each.addEventListener("change", show));
show();
