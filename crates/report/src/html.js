"use strict";
const search = document.getElementById("search");
if (search) {
  search.hidden = false;
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const section of document.querySelectorAll("section:has(article)")) {
      const heading = section.querySelector("h2").textContent;
      let shown = 0;
      for (const article of section.querySelectorAll("article")) {
        const text = (heading + " " + article.textContent).toLowerCase();
        article.hidden = !words.every((word) => text.includes(word));
        shown += !article.hidden;
      }
      section.hidden = shown === 0;
    }
  });
}
