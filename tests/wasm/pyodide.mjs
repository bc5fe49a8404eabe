// The part of Pyodide's interface that docs/try/worker.js uses, on a CPython for WASI. That one
// brings NumPy and tqdm along; a shim gives it files and streams in memory.
//
// Beside this file the server has python.wasm, python315.zip (its standard library and packages)
// and the shim, @bjorn3/browser_wasi_shim of npm.

import {
  ConsoleStdout,
  Directory,
  File,
  OpenFile,
  PreopenDirectory,
  WASI,
} from "./browser_wasi_shim/index.js";

const BUILTIN_PACKAGES = ["numpy", "tqdm"];
const LIBRARY = "python315.zip";
const UNPACK = "import zipfile; zipfile.ZipFile('/tmp/wheel').extractall('/packages')";
const RUN = `
import sys
sys.path[:0] = ["/packages", "/home/pyodide"]
import runner
with open("/tmp/program", encoding="utf-8") as file:
    report = runner.run_program(file.read())
if report is not None:
    with open("/tmp/report", "w", encoding="utf-8") as file:
        file.write(report)
`;

const makeFolder = (...entries) => new Directory(new Map(entries));

export async function loadPyodide({ indexURL: base }) {
  const read = async (address) => new Uint8Array(await (await fetch(address)).arrayBuffer());
  const module = await WebAssembly.compileStreaming(fetch(`${base}python.wasm`));
  const library = new File(await read(`${base}${LIBRARY}`), { readonly: true });
  const [home, tmp, packages] = [makeFolder(), makeFolder(), makeFolder()];
  const root = [
    ["home", makeFolder(["pyodide", home])],
    ["tmp", tmp],
    ["packages", packages],
  ];
  const streams = { stdout: () => {}, stderr: () => {} };

  // Each program has an interpreter of its own; the files stay.
  function runPython(text) {
    const stream = (name) => new ConsoleStdout((bytes) => streams[name](bytes));
    const wasi = new WASI(
      ["python", "-c", text],
      ["HOME=/home/pyodide", "TMPDIR=/tmp", "PYTHONTZPATH=", "COLUMNS=100", "LINES=24"],
      [
        new OpenFile(new File([])),
        stream("stdout"),
        stream("stderr"),
        new PreopenDirectory("/usr/local/lib", new Map([[LIBRARY, library]])),
        new PreopenDirectory("/", new Map(root)),
      ],
    );
    const instance = new WebAssembly.Instance(module, {
      wasi_snapshot_preview1: wasi.wasiImport,
      host: { call: () => -1 }, // of the program that usually runs this interpreter
    });
    wasi.inst = instance;
    instance.exports._initialize?.();
    const status = instance.exports.run();
    if (status) throw new Error(`Python ended with status ${status}`);
  }

  return {
    FS: {
      writeFile: (path, text) =>
        home.contents.set(path.split("/").pop(), new File(new TextEncoder().encode(text))),
    },
    loadPackage: async (names) => {
      for (const name of names.filter((name) => !BUILTIN_PACKAGES.includes(name))) {
        tmp.contents.set("wheel", new File(await read(name)));
        runPython(UNPACK);
      }
      return names.map((name) => ({ name }));
    },
    pyimport: () => ({
      run_program: (text) => {
        tmp.contents.set("program", new File(new TextEncoder().encode(text)));
        tmp.contents.delete("report");
        runPython(RUN);
        const report = tmp.contents.get("report");
        return report && new TextDecoder().decode(report.data);
      },
    }),
    runPythonAsync: async () => undefined,
    setInterruptBuffer: () => {},
    setStderr: (stream) => (streams.stderr = stream.write),
    setStdout: (stream) => (streams.stdout = stream.write),
  };
}
