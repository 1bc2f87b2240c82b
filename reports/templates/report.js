(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const text = data.text, statuses = data.statuses;
  const records = data.records.map(function (row, index) {
    return {
      index: index, id: row[0], group: text[row[1]], kind: text[row[2]], chapter: text[row[3]], section: text[row[4]],
      status: row[5], calls: row[6], words: text[row[7]], reason: text[row[8]], weak: row[9],
      boundaries: row[10].map(function (i) { return text[i]; }), observed: row[11].map(function (i) { return text[i]; }),
      deviations: row[12].map(function (i) { return text[i]; }),
    };
  });
  const byId = new Map(records.map(function (record) { return [record.id, record]; }));
  const at = function (id) { return document.getElementById(id); };
  const box = at("groups"), field = at("text"), chapter = at("chapter"), order = at("sort"), chips = at("statuses");
  const wanted = new Set();
  const OPENED = 40;
  let groups = [];

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

  function count(members) {
    const counts = new Array(statuses.length).fill(0);
    members.forEach(function (record) { counts[record.status] += 1; });
    return counts;
  }

  function bar(members) {
    const space = "http://www.w3.org/2000/svg", svg = document.createElementNS(space, "svg");
    const counts = count(members);
    svg.setAttribute("viewBox", "0 0 " + members.length + " 1");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", counts.map(function (n, i) { return n ? n + " " + statuses[i] : ""; }).filter(Boolean).join(", "));
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

  function drawn(record) {
    const element = make("article", "record"), name = make("span", "id mono"), link = make("a", "", record.id);
    element.id = record.id;
    link.href = "#" + encodeURIComponent(record.id);
    link.title = "A link to this record";
    name.append(link);
    element.append(name, badge(statuses[record.status]));
    if (record.words) element.append(make("p", "words", record.words));
    if (record.reason) element.append(make("p", "", record.reason));
    const about = [record.kind, record.section];
    if (record.calls) about.push(record.calls + (record.calls === 1 ? " call" : " calls") + " put it to the test");
    if (record.weak) about.push(record.weak + (record.weak === 1 ? " call" : " calls") + " gave weak evidence");
    element.append(make("p", "about", about.filter(Boolean).join(" · ")));
    if (record.boundaries.length) element.append(make("p", "", "Boundary values: " + record.boundaries.join(", ")));
    if (record.observed.length) element.append(make("p", "", "Came back: " + record.observed.join(", ")));
    if (record.deviations.length) {
      const line = make("p", "", "Deviations: ");
      record.deviations.forEach(function (id, i) {
        const to = make("a", "mono", id);
        to.href = "#" + id;
        line.append(i ? ", " : "", to);
      });
      element.append(line);
    }
    return element;
  }

  function fill(group) {
    if (group.filled) return;
    group.filled = true;
    const all = document.createDocumentFragment();
    group.members.forEach(function (record) { all.append(drawn(record)); });
    group.element.append(all);
  }

  function matching() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    return records.filter(function (record) {
      if (wanted.size && !wanted.has(record.status)) return false;
      if (chapter.value && record.chapter !== chapter.value) return false;
      if (!words.length) return true;
      record.all = record.all || (record.id + " " + record.words + " " + record.section + " " + record.reason + " " + record.kind + " " + record.observed.join(" ")).toLowerCase();
      return words.every(function (word) { return record.all.includes(word); });
    });
  }

  const orders = {
    document: function () { return 0; },
    worst: function (a, b) { return a.worst - b.worst; },
    calls: function (a, b) { return b.calls - a.calls; },
    name: function (a, b) { return a.name < b.name ? -1 : a.name > b.name ? 1 : 0; },
  };

  function draw() {
    const found = matching(), named = new Map();
    found.forEach(function (record) {
      if (!named.has(record.group)) named.set(record.group, []);
      named.get(record.group).push(record);
    });
    groups = Array.from(named, function (pair) {
      const members = pair[1];
      return {
        name: pair[0], members: members, filled: false,
        worst: Math.min.apply(null, members.map(function (record) { return record.status; })),
        calls: members.reduce(function (sum, record) { return sum + record.calls; }, 0),
      };
    }).sort(orders[order.value]);
    if (order.value === "worst") groups.forEach(function (group) { group.members.sort(function (a, b) { return a.status - b.status; }); });
    const narrowed = found.length < records.length && found.length <= OPENED, all = document.createDocumentFragment();
    groups.forEach(function (group) {
      const element = make("details", "group"), summary = make("summary");
      group.element = element;
      summary.append(make("span", "mono", group.name), bar(group.members), make("span", "count", String(group.members.length)));
      element.append(summary);
      element.addEventListener("toggle", function () { if (element.open) fill(group); });
      if (narrowed) { fill(group); element.open = true; }
      all.append(element);
    });
    box.replaceChildren(all);
    if (!found.length) box.append(make("p", "nothing", "No record is like that."));
    at("shown").textContent = found.length === records.length ? records.length + " records" : found.length + " of " + records.length + " records";
  }

  function show(id) {
    const record = byId.get(id);
    if (!record) return;
    let group = groups.find(function (one) { return one.members.includes(record); });
    if (!group) {
      field.value = ""; chapter.value = ""; wanted.clear(); press(); draw();
      group = groups.find(function (one) { return one.members.includes(record); });
    }
    fill(group);
    group.element.open = true;
    document.querySelectorAll(".here").forEach(function (one) { one.classList.remove("here"); });
    const element = at(id);
    element.classList.add("here");
    element.scrollIntoView({ block: "center" });
  }

  function follow() {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch (error) { /* as it stands */ }
    if (id === "capabilities" && at("caps")) at("caps").open = true;
    const deviation = id && at(id);
    if (deviation && deviation.classList.contains("dev")) { deviation.open = true; deviation.scrollIntoView(); } else show(id);
  }

  function compare() {
    const input = at("caps-text"), which = at("caps-which"), rows = Array.from(at("caps-rows").rows);
    const contents = rows.map(function (row) { return row.textContent.toLowerCase(); });
    const pick = function () {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let left = 0;
      rows.forEach(function (row, index) {
        const fits = !which.value || row.dataset.is.split(" ").includes(which.value);
        row.hidden = !(fits && words.every(function (word) { return contents[index].includes(word); }));
        if (!row.hidden) left += 1;
      });
      at("caps-shown").textContent = left === rows.length ? "" : left + " of " + rows.length + " queries";
    };
    input.addEventListener("input", pick);
    which.addEventListener("change", pick);
    at("caps-tools").hidden = false;
  }

  function press() {
    chips.querySelectorAll("button").forEach(function (chip) { chip.setAttribute("aria-pressed", wanted.has(Number(chip.value))); });
  }

  function copy(button) {
    const content = button.parentElement.querySelector("pre").textContent.trimEnd();
    const say = function (word) { button.textContent = word; setTimeout(function () { button.textContent = "Copy"; }, 1500); };
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

  const total = count(records);
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
  document.querySelectorAll(".program").forEach(function (element) {
    element.hidden = false;
    element.addEventListener("toggle", function () {
      element.querySelector("pre").textContent = data.programs[element.dataset.program];
    });
  });
  document.addEventListener("click", function (event) {
    const button = event.target.closest("button.copy");
    if (button) copy(button);
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); field.focus(); }
    if (event.key === "Escape" && document.activeElement === field) { field.value = ""; draw(); }
  });
  at("fold").addEventListener("click", function () { groups.forEach(function (group) { group.element.open = false; }); });
  let waiting = 0;
  field.addEventListener("input", function () { clearTimeout(waiting); waiting = setTimeout(draw, 120); });
  chapter.addEventListener("change", draw);
  order.addEventListener("change", draw);
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", function () { document.querySelectorAll("details.dev, details.caps").forEach(function (one) { one.open = true; }); });
  if (at("caps")) compare();
  press();
  draw();
  at("list").hidden = false;
  if (location.hash) follow();
})();
