(function () {
  "use strict";
  // the page of a game: steps by keys and clicks, without scrolling to the target of the link
  var figures = Array.from(document.querySelectorAll(".stage figure"));
  var byPly = {};
  figures.forEach(function (figure) { byPly[Number(figure.id.slice(1))] = figure; });
  var last = figures.length - 1;
  var cursor = document.querySelector(".graph .cursor");
  var now = 0;

  function show(ply, remember) {
    now = Math.max(0, Math.min(last, ply));
    figures.forEach(function (figure) { figure.classList.toggle("shown", figure === byPly[now]); });
    document.querySelectorAll(".sheet a").forEach(function (link) {
      var here = link.hash === "#p" + now;
      link.classList.toggle("shown", here);
      if (here) { link.setAttribute("aria-current", "step"); } else { link.removeAttribute("aria-current"); }
    });
    if (cursor) {
      cursor.setAttribute("x1", byPly[now].dataset.x);
      cursor.setAttribute("x2", byPly[now].dataset.x);
      cursor.style.visibility = "visible";
    }
    if (remember) {
      try { history.replaceState(null, "", "#p" + now); } catch (error) { /* some browsers refuse this for local files */ }
    }
  }

  // after a click far below the board, in the notes or on a phone, scroll to the board
  function reveal() {
    var stage = document.querySelector(".stage");
    var board = stage.querySelector(".empty").getBoundingClientRect();
    if (board.top < 0 || board.bottom > window.innerHeight) { stage.scrollIntoView({block: "start"}); }
  }

  function plyOf(hash) {
    var found = /^#p(\d{1,6})$/.exec(hash);
    return found && Number(found[1]) in byPly ? Number(found[1]) : null;
  }

  function marked(direction) {
    for (var ply = now + direction; ply in byPly; ply += direction) {
      if (byPly[ply].dataset.kind) { return ply; }
    }
    return now;
  }

  if (figures.length) {
    document.documentElement.classList.add("keys");
    show(plyOf(location.hash) || 0, false);
    document.addEventListener("click", function (event) {
      var link = event.target.closest ? event.target.closest("a") : null;
      var ply = link ? plyOf(link.getAttribute("href") || "") : null;
      if (ply !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
        event.preventDefault();
        show(ply, true);
        reveal();
      }
    });
    document.addEventListener("keydown", function (event) {
      if (event.ctrlKey || event.metaKey || event.altKey) { return; }
      var to = {
        ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last, n: marked(1), p: marked(-1)
      }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        show(to, true);
      }
    });
    // an address without a valid ply shows the start, as it does without this script
    window.addEventListener("hashchange", function () { show(plyOf(location.hash) || 0, false); });
  }

  // the index: a click on a column's header sorts by it
  document.querySelectorAll("table.sortable").forEach(function (table) {
    table.querySelectorAll("thead th").forEach(function (head, column) {
      var button = document.createElement("button");
      button.textContent = head.textContent;
      head.textContent = "";
      head.appendChild(button);
      button.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") !== "descending";
        table.querySelectorAll("thead th").forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        var body = table.tBodies[0];
        var rows = Array.from(body.rows).map(function (row) { return [row.cells[column].textContent.trim(), row]; });
        rows.sort(function (a, b) {
          var x = parseFloat(a[0]), y = parseFloat(b[0]);
          var order = isNaN(x) || isNaN(y) ? a[0].localeCompare(b[0]) : x - y;
          return down ? -order : order;
        });
        rows.forEach(function (row) { body.appendChild(row[1]); });
      });
    });
  });
})();
