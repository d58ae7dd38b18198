"use strict";
(() => {
  const root = document.documentElement;
  const remembered = {
    read() {
      try { return localStorage.getItem("unnaive-theme"); } catch { return null; }
    },
    write(theme) {
      try { localStorage.setItem("unnaive-theme", theme); } catch { /* not allowed here: the choice is forgotten with the page */ }
    },
  };
  const theme = remembered.read();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;

  function offerThemes(button) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
    const tell = () => { button.textContent = isDark() ? "Light theme" : "Dark theme"; };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remembered.write(root.dataset.theme);
      tell();
    });
    system.addEventListener("change", tell);
    tell();
    button.hidden = false;
  }

  function offerCopy(button) {
    const text = document.getElementById(button.dataset.copies);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected: press Ctrl+C";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2500);
    });
    button.hidden = false;
  }

  // Names are compared as text, everything else by value; null stands for no value.
  function valueOf(cell) {
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (text === "") return null;
    return cell.tagName === "TH" || Number.isNaN(Number(text)) ? text : Number(text);
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  }

  function sort(table, header) {
    const before = header.getAttribute("aria-sort");
    const flipped = before === "ascending" ? "descending" : "ascending";
    const order = before ? flipped : header.dataset.first ?? "ascending";
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [valueOf(row.cells[header.cellIndex]), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * compare(a, b);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", order);
  }

  function offerSorting(table) {
    for (const header of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sort(table, header));
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("table.sortable").forEach(offerSorting);
    document.querySelectorAll("button[data-copies]").forEach(offerCopy);
    offerThemes(document.getElementById("theme"));
  });
})();
