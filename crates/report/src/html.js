"use strict";
const search = document.getElementById("search");
if (search) {
  search.hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    const matches = (...parts) => {
      const text = parts.map((part) => part.textContent).join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    };
    for (const section of document.querySelectorAll("section.place")) {
      const heading = section.querySelector("h2");
      let shown = 0;
      for (const article of section.querySelectorAll("article")) {
        article.hidden = !matches(heading, article);
        shown += !article.hidden;
      }
      // Pictures stay beside the findings; by themselves they are found by the names of their cluster and volumes.
      section.hidden = shown === 0 && ![...section.querySelectorAll(".pictures")].some((picture) => matches(heading, picture));
    }
  });
}
