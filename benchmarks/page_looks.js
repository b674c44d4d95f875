// Runs before the page's own scripts: notes how long each task took, and when something was first to be seen.
(() => {
  const looks = { tasks: [], at: {} };
  window.__looks = looks;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) looks.tasks.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
  // The moment of the first frame in which `seen` holds.
  looks.note = (name, seen) => {
    const look = () => {
      if (seen()) looks.at[name] = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  const drawn = () => document.querySelector("main h1") && !document.querySelector("main [aria-busy=true]");
  looks.note("drawn", drawn);
  looks.note("picture", () => document.querySelector("[data-layout] .react-flow__node"));
  looks.note("laid out", () => document.querySelector('[data-layout="fine"] .react-flow__node'));
  // From a pointer over something to the frame that shows what it lit.
  looks.lit = (wanted) =>
    new Promise((resolve) => {
      let began;
      const begin = (event) => {
        if (wanted !== event.target && !wanted.contains(event.target)) return;
        began = event.timeStamp;
        document.removeEventListener("mouseover", begin, true);
        const look = () => {
          // Boxes, lines and columns are lit in one go; a short path may have none but this in sight.
          if (wanted.dataset.lit === "true") {
            requestAnimationFrame((at) => resolve(at - began));
          } else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      };
      document.addEventListener("mouseover", begin, true);
    });
})();
