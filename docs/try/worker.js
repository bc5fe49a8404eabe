// Runs Python beside the page: loads Pyodide and minispore, then runs one program for each message.
//
// The first message is the settings {pyodide, wheel, modules, interrupt}, each further one
// {program}. The answers are {kind, text}: "loading", "missing", "ready", "stdout", "stderr",
// "crashed", and "done" with the text of the report page or null.

const NETWORK_ADVICE =
  "This page needs the network for it. Connect and press Run again, or install minispore on this " +
  "machine, save the program as program.py and run: python program.py";
const SITE_ADVICE = "The site is not complete: make docs builds it.";

const COLUMNS = 100; // for a progress bar with its rate, loss and metrics; the page wraps it
const WINDOW_MS = 100;
const POSTS_PER_WINDOW = 20; // more would reach the page faster than it can show them

let runProgram;
let streams = [];

function post(kind, text) {
  postMessage({ kind, text });
}

// Wait for `step`; where it fails, tell the page what could not be loaded, and from where.
async function load(what, address, advice, step) {
  post("loading", what);
  try {
    return await step();
  } catch (error) {
    post("missing", `${what} could not be loaded from ${address}: ${error.message}. ${advice}`);
    throw error;
  }
}

// Make a stream of Python's that posts what is written at once; of a flood, some parts are joined.
function makeStream(kind) {
  const decoder = new TextDecoder();
  let held = "";
  let posts = 0;
  let windowStart = 0;
  const flush = () => {
    if (held) post(kind, held);
    held = "";
  };
  const write = (bytes) => {
    held += decoder.decode(bytes, { stream: true });
    const now = performance.now();
    if (now - windowStart > WINDOW_MS) [windowStart, posts] = [now, 0];
    if (posts++ < POSTS_PER_WINDOW) flush();
    return bytes.length;
  };
  // Python sends each line at once to a terminal, and minispore shows the progress of a training.
  return { isatty: true, getTerminalSize: () => ({ rows: 24, columns: COLUMNS }), write, flush };
}

async function loadPackages(pyodide, packages) {
  const loaded = await pyodide.loadPackage(packages, { messageCallback: () => {} });
  if (loaded.length < packages.length) throw new Error("a package is not there");
}

async function fetchText(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.text();
}

async function start({ pyodide: base, wheel, modules, interrupt }) {
  const pyodide = await load("Python", base, NETWORK_ADVICE, async () => {
    const { loadPyodide } = await import(`${base}pyodide.mjs`);
    return loadPyodide({ indexURL: base });
  });
  await load("NumPy", base, NETWORK_ADVICE, () => loadPackages(pyodide, ["numpy", "tqdm"]));
  await load("minispore", wheel, SITE_ADVICE, async () => {
    await loadPackages(pyodide, [wheel]);
    for (const address of modules) {
      const name = address.slice(address.lastIndexOf("/") + 1);
      pyodide.FS.writeFile(`/home/pyodide/${name}`, await fetchText(address));
    }
    await pyodide.runPythonAsync("import sys; sys.path.append('/home/pyodide')");
    runProgram = pyodide.pyimport("runner").run_program;
  });
  streams = ["stdout", "stderr"].map(makeStream);
  pyodide.setStdout(streams[0]);
  pyodide.setStderr(streams[1]);
  if (interrupt) pyodide.setInterruptBuffer(interrupt);
  post("ready");
}

onmessage = async ({ data }) => {
  if (data.program === undefined) {
    await start(data).catch(() => {}); // the page knows: "missing"
    return;
  }
  try {
    const report = runProgram(data.program) ?? null;
    for (const stream of streams) stream.flush();
    post("done", report);
  } catch (error) {
    post("crashed", error.message); // no memory is left, for example
  }
};
