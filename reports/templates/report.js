page.begin(function (data) {
  "use strict";
  const text = data.text, statuses = data.statuses, at = page.at, make = page.make;
  const read = function (i) { return text[i]; };
  const requirements = data.requirements.map(function (row) {
    return {
      id: row[0], group: text[row[1]], kind: text[row[2]], chapter: text[row[3]], section: text[row[4]], document: text[row[5]],
      status: row[6], calls: row[7], condition: text[row[8]], reason: text[row[9]], weak: row[10],
      testValues: row[11].map(read), observed: row[12].map(read), deviations: row[13].map(read), machines: text[row[14]], address: text[row[15]],
    };
  });
  const byId = new Map(requirements.map(function (requirement) { return [requirement.id, requirement]; }));
  const names = new Set(requirements.map(function (requirement) { return requirement.group; }));
  const box = at("groups"), field = at("text"), chapter = at("chapter"), order = at("sort"), chips = at("statuses"), fold = at("fold");
  const wanted = new Set();
  const OPENED = 40, TEST_VALUES = 24;
  let groups = [];

  function count(members) {
    const counts = new Array(statuses.length).fill(0);
    members.forEach(function (requirement) { counts[requirement.status] += 1; });
    return counts;
  }

  function several(number, one, many) { return number.toLocaleString("en") + " " + (number === 1 ? one : many); }

  function link(id, shown, name) {
    const element = make("a", name || "", shown);
    element.href = "#" + encodeURIComponent(id);
    return element;
  }

  function listed(label, values) {
    const alone = values.filter(function (value) { return !value.includes(" and "); });
    const first = (alone.length ? alone : values).slice(0, TEST_VALUES), rest = values.filter(function (value) { return !first.includes(value); });
    const line = make("p", "", label + first.join(", "));
    if (rest.length) {
      const more = make("button", "more", "and " + rest.length + " more");
      more.type = "button";
      more.addEventListener("click", function () { more.replaceWith(rest.join(", ")); });
      line.append(", ", more);
    }
    return line;
  }

  function met(ids) {
    const list = make("ul", "met");
    ids.forEach(function (id) {
      const item = make("li"), known = data.deviations[id];
      item.append(link(id, id, "mono"));
      if (known) item.append(" ", page.badge(statuses[known[0]]), " " + text[known[1]]);
      list.append(item);
    });
    return list;
  }

  function rendered(requirement) {
    const element = make("article", "requirement"), name = make("h5", "id mono"), to = link(requirement.id, requirement.id);
    element.id = requirement.id;
    to.title = "A link to this requirement";
    name.append(to);
    element.append(name, page.badge(statuses[requirement.status]));
    if (requirement.condition) element.append(make("p", "condition", requirement.condition));
    if (requirement.reason) element.append(make("p", "", requirement.reason));
    const about = [requirement.section];
    if (requirement.calls) about.push("tested by " + several(requirement.calls, "call", "calls") + (requirement.machines ? " on " + requirement.machines : ""));
    if (requirement.weak) about.push("weak evidence from " + several(requirement.weak, "call", "calls"));
    const line = make("p", "about", about.join(" · "));
    if (requirement.address) {
      const specification = make("a", "", "Specification");
      specification.href = requirement.address;
      line.append(" · ", specification);
    }
    element.append(line);
    if (requirement.testValues.length) element.append(listed("Test values: ", requirement.testValues));
    if (requirement.observed.length) element.append(listed("Observed: ", requirement.observed));
    if (requirement.deviations.length) element.append(met(requirement.deviations));
    return element;
  }

  function fill(group) {
    if (group.filled) return;
    group.filled = true;
    const all = document.createDocumentFragment(), about = make("p", "about");
    const places = Array.from(new Set(group.members.map(function (requirement) {
      return (/^(\d|[A-Z]\b)/.test(requirement.section) ? "section " : "") + requirement.section + " of " + requirement.document;
    })));
    about.append(link(group.name, "Link", "self"), " · " + places.slice(0, 3).join("; ") + (places.length > 3 ? "; and others" : ""));
    all.append(about);
    const deviations = Array.from(new Set(group.members.flatMap(function (requirement) { return requirement.deviations; })));
    if (deviations.length) all.append(met(deviations));
    const kinds = order.value === "worst" ? [""] : Array.from(new Set(group.members.map(function (requirement) { return requirement.kind; })));
    kinds.forEach(function (kind) {
      const members = group.members.filter(function (requirement) { return !kind || requirement.kind === kind; });
      if (kind) all.append(make("h4", "kind", kind.replace(/-/g, " ") + (members.length > 1 ? " · " + members.length : "")));
      members.forEach(function (requirement) { all.append(rendered(requirement)); });
    });
    group.element.append(all);
  }

  function matching() {
    const words = page.words(field);
    return requirements.filter(function (requirement) {
      if (wanted.size && !wanted.has(requirement.status)) return false;
      if (chapter.value && requirement.chapter !== chapter.value) return false;
      if (!words.length) return true;
      requirement.all = requirement.all || [requirement.id, requirement.group, requirement.condition, requirement.section, requirement.reason, requirement.kind, requirement.observed.join(" ")].join(" ").toLowerCase();
      return page.has(words, requirement.all);
    });
  }

  const orders = {
    document: function () { return 0; },
    worst: function (a, b) { return a.worst - b.worst; },
    calls: function (a, b) { return b.calls - a.calls; },
    name: function (a, b) { return a.name < b.name ? -1 : a.name > b.name ? 1 : 0; },
  };

  function label() { fold.textContent = groups.some(function (group) { return group.element.open; }) ? "Collapse all" : "Expand all"; }

  function draw() {
    const found = matching(), named = new Map();
    found.forEach(function (requirement) {
      if (!named.has(requirement.group)) named.set(requirement.group, []);
      named.get(requirement.group).push(requirement);
    });
    groups = Array.from(named, function (pair) {
      const members = pair[1];
      return {
        name: pair[0], members: members, filled: false,
        worst: Math.min.apply(null, members.map(function (requirement) { return requirement.status; })),
        calls: members.reduce(function (sum, requirement) { return sum + requirement.calls; }, 0),
      };
    }).sort(orders[order.value]);
    if (order.value === "worst") groups.forEach(function (group) { group.members.sort(function (a, b) { return a.status - b.status; }); });
    const narrowed = found.length < requirements.length && found.length <= OPENED, all = document.createDocumentFragment();
    groups.forEach(function (group) {
      const element = make("details", "group"), summary = make("summary");
      group.element = element;
      summary.append(make("span", "mono", group.name), page.bar(count(group.members)), make("span", "count", String(group.members.length)));
      element.append(summary);
      element.addEventListener("toggle", function () { if (element.open) fill(group); label(); });
      if (narrowed) { fill(group); element.open = true; }
      all.append(element);
    });
    box.replaceChildren(all);
    if (!found.length) box.append(make("p", "nothing", "No matching requirements."));
    at("shown").textContent = found.length === requirements.length ? requirements.length + " requirements" : found.length + " of " + requirements.length + " requirements";
    label();
  }

  function group(fits) {
    const found = groups.find(fits);
    if (found) return found;
    field.value = ""; chapter.value = ""; wanted.clear(); press(); draw();
    return groups.find(fits);
  }

  function show(id) {
    const requirement = byId.get(id);
    if (!requirement && !names.has(id)) return;
    const of = group(requirement ? function (one) { return one.members.includes(requirement); } : function (one) { return one.name === id; });
    fill(of);
    of.element.open = true;
    document.querySelectorAll(".here").forEach(function (one) { one.classList.remove("here"); });
    const element = requirement ? at(id) : of.element, target = requirement ? element.querySelector("a") : element.querySelector("summary");
    element.classList.add("here");
    target.focus({ preventScroll: true });
    element.scrollIntoView({ block: requirement ? "center" : "start", behavior: "instant" });
  }

  function follow() {
    const id = page.fragment(), element = id && at(id);
    const folded = element && (element.matches("details") ? element : element.querySelector(":scope > details.caps"));
    if (!element || element.matches(".group, .requirement")) { if (id) show(id); return; }
    if (element.hidden) unfilter();
    if (folded) folded.open = true;
    if (folded === element) folded.querySelector("summary").focus({ preventScroll: true });
    element.scrollIntoView({ behavior: "instant" });
  }

  function compare() {
    const input = at("caps-text"), which = at("caps-which"), rows = Array.from(at("caps-rows").rows);
    const contents = rows.map(function (row) { return row.textContent.toLowerCase(); });
    const pick = function () {
      const words = page.words(input);
      let left = 0;
      rows.forEach(function (row, index) {
        const fits = !which.value || row.dataset.is.split(" ").includes(which.value);
        row.hidden = !(fits && page.has(words, contents[index]));
        if (!row.hidden) left += 1;
      });
      at("caps-shown").textContent = left === rows.length ? "" : left + " of " + rows.length + " queries";
    };
    input.addEventListener("input", pick);
    which.addEventListener("change", pick);
    at("caps-tools").hidden = false;
  }

  const tools = at("deviation-tools");
  let unfilter = function () {};

  function filterDeviations() {
    const input = at("deviation-text"), choices = Array.from(tools.querySelectorAll("[data-filter]"));
    const rows = Array.from(document.querySelectorAll(".dev"));
    const contents = rows.map(function (row) {
      const about = [row.querySelector("summary"), row.querySelector(".violated"), row.closest(".cause").querySelector("h4")];
      return about.map(function (element) { return element.textContent; }).join(" ").toLowerCase();
    });
    const pick = function () {
      const words = page.words(input);
      rows.forEach(function (row, index) {
        const fits = choices.every(function (choice) { return !choice.value || row.dataset[choice.dataset.filter] === choice.value; });
        row.hidden = !(fits && page.has(words, contents[index]));
      });
      document.querySelectorAll(".cause, .consequence").forEach(function (group) { group.hidden = !group.querySelector(".dev:not([hidden])"); });
      const left = rows.filter(function (row) { return !row.hidden; }).length;
      at("deviations-shown").textContent = left === rows.length ? "" : left + " of " + several(rows.length, "deviation", "deviations");
    };
    unfilter = function () {
      input.value = "";
      choices.forEach(function (choice) { choice.value = ""; });
      pick();
    };
    input.addEventListener("input", page.waiting(pick));
    choices.forEach(function (choice) { choice.addEventListener("change", pick); });
    tools.hidden = false;
  }

  function press() {
    chips.querySelectorAll("button").forEach(function (chip) { chip.setAttribute("aria-pressed", wanted.has(Number(chip.value))); });
  }

  const total = count(requirements);
  statuses.forEach(function (status, index) {
    if (!total[index]) return;
    const chip = make("button");
    chip.type = "button";
    chip.value = index;
    chip.append(make("i", "dot f-" + status), status + " " + total[index]);
    chip.addEventListener("click", function () {
      if (!wanted.delete(index)) wanted.add(index);
      press();
      draw();
    });
    chips.append(chip);
  });
  function program(element) { element.querySelector("pre").textContent = data.programs[element.dataset.program]; }
  document.querySelectorAll(".program[data-program]").forEach(function (element) {
    element.hidden = false;
    element.addEventListener("toggle", function () { program(element); });
  });
  page.search(field, draw);
  fold.addEventListener("click", function () {
    const open = !groups.some(function (one) { return one.element.open; });
    groups.forEach(function (one) { if (open) fill(one); one.element.open = open; });
    label();
  });
  field.addEventListener("input", page.waiting(draw));
  chapter.addEventListener("change", draw);
  order.addEventListener("change", draw);
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", function () {
    groups.forEach(fill);
    document.querySelectorAll("details").forEach(function (one) { one.dataset.open = one.open; one.open = true; });
  });
  window.addEventListener("afterprint", function () {
    document.querySelectorAll("details").forEach(function (one) { one.open = one.dataset.open === "true"; });
  });
  if (at("caps")) compare();
  if (tools) filterDeviations();
  press();
  draw();
  at("list").hidden = false;
  page.arrive(follow);
});
