// The page "Try it in the browser": an editor, and a worker that runs its text with Python.

const OUTPUT_CHARACTERS = 100_000; // the end of a longer output is kept
const STOP_SECONDS = 2; // for a program to end by itself

const byId = (name) => document.getElementById(`try-${name}`);
const [choice, editor, run, stop, status, progress, output, figure, report] = [
  "choice", "editor", "run", "stop", "status", "progress", "output", "figure", "report",
].map(byId);
const settings = document.getElementById("try").dataset;

let worker = null;
let interrupt = null; // shared with the worker where the browser allows it
let program = ""; // the text that runs
let startedAt = 0;
let stopTimer = 0; // ends the worker where the interrupt did not

// -- the programs ---------------------------------------------------------------------------------

const texts = new Map(); // of each program, with what was edited
let shown = null; // the name of the program in the editor

async function fetchProgram(name) {
  const response = await fetch(name);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

async function showProgram() {
  if (shown) texts.set(shown, editor.value);
  shown = null;
  const name = choice.value;
  try {
    if (!texts.has(name)) texts.set(name, await fetchProgram(name));
  } catch (error) {
    status.textContent = `The program ${name} could not be loaded (${error.message}).`;
    return;
  }
  if (name !== choice.value) return; // another one was chosen in the meantime
  shown = name;
  editor.value = texts.get(name);
}

// -- what it prints -------------------------------------------------------------------------------

let pending = ""; // printed, and not yet on the page
let errorLine = ""; // the unfinished line of stderr

function print(text) {
  if (!pending) requestAnimationFrame(flush);
  pending = (pending + text).slice(-OUTPUT_CHARACTERS);
}

function flush() {
  output.append(pending);
  pending = "";
  if (output.textContent.length > 2 * OUTPUT_CHARACTERS) {
    output.textContent = output.textContent.slice(-OUTPUT_CHARACTERS);
  }
  output.scrollTop = output.scrollHeight;
}

// A progress bar draws itself again behind each carriage return; whole lines are output.
function printError(text) {
  const lines = (errorLine + text).split("\n").map((line) => line.slice(line.lastIndexOf("\r") + 1));
  errorLine = lines.pop();
  if (lines.length) print(lines.join("\n") + "\n");
  progress.textContent = errorLine;
}

// -- the worker -----------------------------------------------------------------------------------

function startWorker() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => answers[data.kind](data.text);
  worker.onerror = ({ message }) => endWorker(`worker.js failed: ${message ?? "it is not there"}.`);
  interrupt = globalThis.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
  const address = (name) => new URL(name, import.meta.url).href;
  worker.postMessage({
    pyodide: settings.pyodide,
    wheel: address(settings.wheel),
    modules: ["runner.py", "digits.py"].map(address),
    interrupt,
  });
}

const answers = {
  loading: (what) => (status.textContent = `Loading ${what} ...`),
  ready: sendProgram,
  stdout: print,
  stderr: printError,
  missing: endWorker,
  crashed: (text) => endWorker(`Python ended: ${text}. The next run starts it again.`),
  done: (page) => {
    end(`Done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    figure.hidden = page === null;
    report.srcdoc = page ?? "";
  },
};

function sendProgram() {
  status.textContent = "Running ...";
  startedAt = performance.now();
  interrupt?.fill(0); // a program may end by itself while it is being stopped
  worker.postMessage({ program });
}

function endWorker(text) {
  worker.onmessage = worker.onerror = null; // what it has sent may still be on its way
  worker.terminate();
  worker = null;
  end(text);
}

// -- the buttons ----------------------------------------------------------------------------------

function setRunning(isRunning) {
  const [from, to] = isRunning ? [run, stop] : [stop, run];
  const hadFocus = document.activeElement === from;
  from.disabled = true;
  to.disabled = false;
  if (hadFocus) to.focus(); // a button that is disabled would lose it
}

function begin() {
  if (run.disabled) return;
  setRunning(true);
  program = editor.value;
  output.textContent = progress.textContent = pending = errorLine = "";
  figure.hidden = true;
  if (worker) sendProgram();
  else startWorker();
}

function end(text) {
  clearTimeout(stopTimer);
  printError(errorLine && "\n"); // a line that was not finished, such as a bar
  setRunning(false);
  status.textContent = text;
}

function requestStop() {
  if (!interrupt) return stopWorker();
  interrupt[0] = 2; // SIGINT: Python raises KeyboardInterrupt
  status.textContent = "Stopping ...";
  clearTimeout(stopTimer);
  stopTimer = setTimeout(stopWorker, 1000 * STOP_SECONDS);
}

function stopWorker() {
  endWorker("Stopped. The next run starts Python again, from what the browser has kept.");
}

choice.addEventListener("change", showProgram);
run.addEventListener("click", begin);
stop.addEventListener("click", requestStop);
editor.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) begin();
});
status.textContent =
  "Nothing is loaded before the first run, which loads Python and NumPy: 10 to 20 MB.";
setRunning(false);
showProgram();
