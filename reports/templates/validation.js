page.begin(function () {
  "use strict";
  const at = page.at, field = at("text"), kind = at("kind"), fold = at("fold");
  const cards = Array.from(document.querySelectorAll("details.finding"));
  const contents = cards.map(function (card) { return card.textContent.toLowerCase(); });

  function shown() { return cards.filter(function (card) { return !card.classList.contains("hidden"); }); }

  function label() { fold.textContent = shown().some(function (card) { return card.open; }) ? "Collapse all" : "Expand all"; }

  function hideEmpty(selector) {
    document.querySelectorAll(selector).forEach(function (group) {
      group.hidden = !group.querySelector("details.finding:not(.hidden)");
    });
  }

  function pick() {
    const words = page.words(field);
    cards.forEach(function (card, index) {
      const fits = (!kind.value || card.classList.contains(kind.value)) && page.has(words, contents[index]);
      card.classList.toggle("hidden", !fits);
    });
    hideEmpty(".party .cause");
    hideEmpty(".party");
    const left = shown().length;
    at("shown").textContent = left === cards.length ? "" : left + " of " + cards.length + " findings";
    label();
  }

  function follow() {
    const element = at(page.fragment());
    if (!element || !element.matches("details.finding")) return;
    if (element.classList.contains("hidden")) { field.value = ""; kind.value = ""; pick(); }
    element.open = true;
    element.querySelector("summary").focus({ preventScroll: true });
    element.scrollIntoView({ block: "start", behavior: "instant" });
  }

  fold.addEventListener("click", function () {
    const open = !shown().some(function (card) { return card.open; });
    shown().forEach(function (card) { card.open = open; });
    label();
  });
  cards.forEach(function (card) { card.addEventListener("toggle", label); });
  field.addEventListener("input", page.waiting(pick));
  kind.addEventListener("change", pick);
  page.search(field, pick);
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (one) { one.dataset.open = one.open; one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    document.querySelectorAll("details").forEach(function (one) { one.open = one.dataset.open === "true"; });
  });
  label();
  at("tools").hidden = cards.length < 2;
  page.arrive(follow);
});
