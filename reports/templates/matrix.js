(function () {
  "use strict";
  const data = page.data, text = data.text, at = page.at, make = page.make, platforms = data.platforms;
  const SHORT = { crashes: "crash", hangs: "hang", deviates: "deviates", flaky: "flaky", conforms: "ok", inconclusive: "unclear", "not-provoked": "·", "not-run": "·", "not-applicable": "n/a", untestable: "·" };
  const BAD = 4, SIZE = 150;
  const records = data.records.map(function (row, index) {
    const statuses = Array.from(row[6], Number);
    return {
      index: index, id: row[0], group: text[row[1]], kind: text[row[2]], section: text[row[3]], words: text[row[4]],
      difference: data.differences[row[5]], statuses: statuses, deviations: row[7], second: row[8] === 1,
      bad: statuses.filter(function (status) { return status < BAD; }).length,
    };
  });
  const byId = new Map(records.map(function (record) { return [record.id, record]; }));
  const field = at("text"), which = at("which"), order = at("sort"), rows = at("rows"), more = at("more");
  let found = [], drawn = 0, group = "";

  const wanted = {
    "": function () { return true; },
    differing: function (record) { return record.difference === "verdicts" || record.difference === "deviations"; },
    deviating: function (record) { return record.bad > 0; },
    second: function (record) { return record.second; },
  };
  const orders = {
    differences: function (a, b) { return a.index - b.index; },
    name: function (a, b) { return a.id < b.id ? -1 : a.id > b.id ? 1 : 0; },
    most: function (a, b) { return b.bad - a.bad || a.index - b.index; },
  };

  function told(record) {
    const row = make("tr"), cell = make("td", "told");
    cell.colSpan = platforms.length + 1;
    if (record.words) cell.append(make("p", "", record.words));
    cell.append(make("p", "", [record.kind.replace(/-/g, " "), record.section].filter(Boolean).join(" · ")));
    Object.keys(record.deviations).forEach(function (place) {
      const line = make("p", "", platforms[place] + ": ");
      record.deviations[place].forEach(function (id, i) {
        const link = make("a", "mono", id);
        link.href = "#" + id;
        line.append(i ? ", " : "", link);
      });
      cell.append(line);
    });
    row.append(cell);
    return row;
  }

  function turn(record, open) {
    const button = record.row.querySelector("button");
    if ((button.getAttribute("aria-expanded") === "true") === open) return;
    button.setAttribute("aria-expanded", open);
    if (open) record.row.after(told(record)); else record.row.nextSibling.remove();
  }

  function line(record) {
    const row = make("tr"), head = make("th"), button = make("button", "record-link mono", record.id);
    row.id = record.id;
    head.scope = "row";
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", function () { turn(record, button.getAttribute("aria-expanded") !== "true"); });
    head.append(button);
    if (record.second) head.append(" ", make("span", "again", "to review"));
    row.append(head);
    record.statuses.forEach(function (status) {
      const name = data.statuses[status], cell = make("td"), shown = make("span", "", SHORT[name]);
      cell.append(make("i", "f-" + name), shown);
      if (SHORT[name] !== name) { shown.setAttribute("aria-hidden", "true"); cell.append(make("span", "unseen", name)); }
      cell.title = name;
      row.append(cell);
    });
    record.row = row;
    return row;
  }

  function grouped(record) {
    const row = make("tr", "function"), head = make("th", "mono", record.group);
    head.colSpan = platforms.length + 1;
    head.scope = "colgroup";
    row.append(head);
    return row;
  }

  function next(number) {
    const all = document.createDocumentFragment(), end = Math.min(found.length, drawn + number);
    for (; drawn < end; drawn += 1) {
      const record = found[drawn];
      if (record.group !== group) { group = record.group; all.append(grouped(record)); }
      all.append(line(record));
    }
    rows.append(all);
    more.hidden = drawn >= found.length;
    more.textContent = "Show " + Math.min(SIZE, found.length - drawn) + " more of " + (found.length - drawn);
  }

  function draw() {
    const words = page.words(field);
    found = records.filter(function (record) {
      if (!wanted[which.value](record)) return false;
      if (!words.length) return true;
      record.all = record.all || [record.id, record.group, record.words, record.section, record.kind].join(" ").toLowerCase();
      return page.has(words, record.all);
    }).sort(orders[order.value]);
    rows.replaceChildren();
    drawn = 0;
    group = "";
    next(SIZE);
    at("shown").textContent = found.length === records.length ? records.length + " requirements" : found.length + " of " + records.length + " requirements";
  }

  function show(id) {
    const record = byId.get(id);
    if (!record) return;
    if (!found.includes(record)) { field.value = ""; which.value = ""; draw(); }
    next(Math.max(0, found.indexOf(record) + 1 - drawn));
    turn(record, true);
    document.querySelectorAll(".here").forEach(function (one) { one.classList.remove("here"); });
    record.row.classList.add("here");
    record.row.querySelector("button").focus({ preventScroll: true });
    record.row.scrollIntoView({ block: "center", behavior: "instant" });
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
  if (!records.some(wanted.differing)) which.value = "";
  draw();
  at("list").hidden = false;
  page.arrive(follow);
})();
