page.begin(function (data) {
  "use strict";
  const text = data.text, at = page.at, make = page.make, platforms = data.platforms;
  const SHORT = { crashes: "crash", hangs: "hang", deviates: "deviates", unconfirmed: "open", flaky: "flaky", conforms: "ok", inconclusive: "unclear", "not-covered": "·", "not-run": "·", "not-applicable": "n/a", untestable: "·" };
  const SIZE = 150;
  const requirements = data.requirements.map(function (row, index) {
    const statuses = row[6];
    return {
      index: index, id: row[0], group: text[row[1]], kind: text[row[2]], section: text[row[3]], condition: text[row[4]],
      difference: data.differences[row[5]], statuses: statuses, deviations: row[7], toReview: row[8] === 1,
      bad: statuses.filter(function (status) { return status < data.deviating; }).length,
    };
  });
  const byId = new Map(requirements.map(function (requirement) { return [requirement.id, requirement]; }));
  const field = at("text"), which = at("which"), order = at("sort"), rows = at("rows"), more = at("more");
  let found = [], rendered = 0, group = "";

  const wanted = {
    "": function () { return true; },
    differing: function (requirement) { return requirement.difference === "verdicts" || requirement.difference === "deviations"; },
    deviating: function (requirement) { return requirement.bad > 0; },
    "to-review": function (requirement) { return requirement.toReview; },
  };
  const orders = {
    differences: function (a, b) { return a.index - b.index; },
    name: function (a, b) { return a.id < b.id ? -1 : a.id > b.id ? 1 : 0; },
    most: function (a, b) { return b.bad - a.bad || a.index - b.index; },
  };

  function description(requirement) {
    const row = make("tr"), cell = make("td", "description");
    cell.colSpan = platforms.length + 1;
    if (requirement.condition) cell.append(make("p", "", requirement.condition));
    cell.append(make("p", "", [requirement.kind.replace(/-/g, " "), requirement.section].filter(Boolean).join(" · ")));
    Object.keys(requirement.deviations).forEach(function (place) {
      const line = make("p", "", platforms[place] + ": ");
      requirement.deviations[place].forEach(function (id, i) {
        const link = make("a", "mono", id);
        link.href = "#" + id;
        line.append(i ? ", " : "", link);
      });
      cell.append(line);
    });
    row.append(cell);
    return row;
  }

  function toggle(requirement, open) {
    const button = requirement.row.querySelector("button");
    if ((button.getAttribute("aria-expanded") === "true") === open) return;
    button.setAttribute("aria-expanded", open);
    if (open) requirement.row.after(description(requirement)); else requirement.row.nextSibling.remove();
  }

  function line(requirement) {
    const row = make("tr"), head = make("th"), button = make("button", "requirement-link mono", requirement.id);
    row.id = requirement.id;
    head.scope = "row";
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", function () { toggle(requirement, button.getAttribute("aria-expanded") !== "true"); });
    head.append(button);
    if (requirement.toReview) head.append(" ", make("span", "again", "to review"));
    row.append(head);
    requirement.statuses.forEach(function (status) {
      const name = data.statuses[status], cell = make("td"), shown = make("span", "", SHORT[name]);
      cell.append(make("i", "f-" + name), shown);
      if (SHORT[name] !== name) { shown.setAttribute("aria-hidden", "true"); cell.append(make("span", "unseen", name)); }
      cell.title = name;
      row.append(cell);
    });
    requirement.row = row;
    return row;
  }

  function grouped(requirement) {
    const row = make("tr", "function"), head = make("th", "mono", requirement.group);
    head.colSpan = platforms.length + 1;
    head.scope = "colgroup";
    row.append(head);
    return row;
  }

  function next(number) {
    const all = document.createDocumentFragment(), end = Math.min(found.length, rendered + number);
    for (; rendered < end; rendered += 1) {
      const requirement = found[rendered];
      if (requirement.group !== group) { group = requirement.group; all.append(grouped(requirement)); }
      all.append(line(requirement));
    }
    rows.append(all);
    more.hidden = rendered >= found.length;
    more.textContent = "Show " + Math.min(SIZE, found.length - rendered) + " more of " + (found.length - rendered);
  }

  function draw() {
    const words = page.words(field);
    found = requirements.filter(function (requirement) {
      if (!wanted[which.value](requirement)) return false;
      if (!words.length) return true;
      requirement.all = requirement.all || [requirement.id, requirement.group, requirement.condition, requirement.section, requirement.kind].join(" ").toLowerCase();
      return page.has(words, requirement.all);
    }).sort(orders[order.value]);
    rows.replaceChildren();
    rendered = 0;
    group = "";
    next(SIZE);
    at("shown").textContent = found.length === requirements.length ? requirements.length + " requirements" : found.length + " of " + requirements.length + " requirements";
  }

  function show(id) {
    const requirement = byId.get(id);
    if (!requirement) return;
    if (!found.includes(requirement)) { field.value = ""; which.value = ""; draw(); }
    next(Math.max(0, found.indexOf(requirement) + 1 - rendered));
    toggle(requirement, true);
    document.querySelectorAll(".here").forEach(function (one) { one.classList.remove("here"); });
    requirement.row.classList.add("here");
    requirement.row.querySelector("button").focus({ preventScroll: true });
    requirement.row.scrollIntoView({ block: "center", behavior: "instant" });
  }

  function follow() {
    const id = page.fragment(), element = id && at(id);
    if (element && element.matches("details")) {
      element.open = true;
      element.querySelector("summary").focus({ preventScroll: true });
      element.scrollIntoView({ behavior: "instant" });
    } else if (element && !element.matches("tr")) element.scrollIntoView({ behavior: "instant" });
    else if (id) show(id);
  }

  platforms.forEach(function (name) {
    const head = make("th", "", name);
    head.scope = "col";
    head.title = name;
    at("columns").append(head);
  });
  data.statuses.forEach(function (status) { at("legend").append(page.badge(status)); });
  more.addEventListener("click", function () { next(SIZE); });
  field.addEventListener("input", page.waiting(draw));
  which.addEventListener("change", draw);
  order.addEventListener("change", draw);
  page.search(field, draw);
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", function () { next(found.length); });
  if (!requirements.some(wanted.differing)) which.value = "";
  draw();
  at("list").hidden = false;
  page.arrive(follow);
});
