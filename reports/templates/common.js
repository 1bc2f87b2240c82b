const page = (function () {
  "use strict";
  const at = function (id) { return document.getElementById(id); };
  let statuses = [];

  async function readData() {
    const packed = Uint8Array.from(atob(at("data").textContent), function (character) { return character.charCodeAt(0); });
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(unpacked).text());
  }

  async function begin(main) {
    if (typeof DecompressionStream === "undefined") {
      document.body.prepend(make("p", "", "The lists on this page need a browser of 2023 or later."));
      return;
    }
    const data = await readData();
    statuses = data.statuses;
    main(data);
    document.documentElement.dataset.ready = "true";
  }

  function make(tag, name, content) {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (content !== undefined) element.textContent = content;
    return element;
  }

  function badge(status) {
    const element = make("span", "badge f-" + status);
    element.append(make("i"), make("span", "", status));
    return element;
  }

  function description(counts) {
    return counts.map(function (n, i) { return n ? n + " " + statuses[i] : ""; }).filter(Boolean).join(", ");
  }

  function bar(counts) {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    const total = counts.reduce(function (sum, n) { return sum + n; }, 0);
    svg.setAttribute("viewBox", "0 0 " + total + " 1");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", description(counts));
    let x = 0;
    counts.forEach(function (number, status) {
      if (!number) return;
      const part = document.createElementNS(space, "rect");
      part.setAttribute("class", "f-" + statuses[status]);
      part.setAttribute("x", x); part.setAttribute("width", number); part.setAttribute("height", 1);
      svg.append(part);
      x += number;
    });
    return svg;
  }

  function words(field) { return field.value.toLowerCase().split(/\s+/).filter(Boolean); }

  function has(all, text) { return all.every(function (word) { return text.includes(word); }); }

  function waiting(action) {
    let timer = 0;
    return function () { clearTimeout(timer); timer = setTimeout(action, 120); };
  }

  function fragment() {
    const id = location.hash.slice(1);
    try { return decodeURIComponent(id); } catch (error) { return id; }
  }

  function copy(button) {
    const content = button.parentElement.querySelector("pre").textContent.trimEnd();
    const say = function (word) {
      button.textContent = word;
      at("announcement").textContent = word + ": " + button.getAttribute("aria-label").replace(/^Copy: /, "");
      setTimeout(function () { button.textContent = "Copy"; at("announcement").textContent = ""; }, 1500);
    };
    const byHand = function () {
      const area = make("textarea");
      area.value = content;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      button.focus();
      say(done ? "Copied" : "Not copied");
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(content).then(function () { say("Copied"); }, byHand);
    else byHand();
  }

  function search(field, redraw) {
    document.addEventListener("keydown", function (event) {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) { event.preventDefault(); field.focus(); }
      if (event.key === "Escape" && document.activeElement === field) { field.value = ""; redraw(); }
    });
  }

  function arrive(follow) {
    if (location.hash) follow();
    // after loading, the browser scrolls to the fragment itself and resets the focus
    const again = function () { if (location.hash) setTimeout(follow); };
    if (document.readyState === "complete") again();
    else window.addEventListener("load", again);
  }

  document.addEventListener("click", function (event) {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });

  return { begin: begin, at: at, make: make, badge: badge, bar: bar, words: words, has: has, waiting: waiting, fragment: fragment, search: search, arrive: arrive };
})();
