"use strict";
const box = document.querySelector(".filters");
const rows = [...document.querySelectorAll("#catalogue-table tbody tr")];
const texts = rows.map((row) => row.textContent.toLowerCase());
const words = document.getElementById("words");
const chosen = [...box.querySelectorAll("select")];
function show() {
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  rows.forEach((row, k) => {
    const fits = wanted.every((word) => texts[k].includes(word)) &&
      chosen.every((each) => !each.value || row.dataset[each.dataset.filter] === each.value);
    row.hidden = !fits;
    count += fits;
  });
  document.getElementById("shown").textContent = `${count} of ${rows.length}`;
}
box.hidden = false;
words.addEventListener("input", show);
chosen.forEach((each) => each.addEventListener("change", show));
show();
