// A stand-in for Pyodide with the part of its interface that docs/try/worker.js uses. It "runs"
// lines of three kinds: print("text"), error("text"), and `while True: pass`, which ends by an
// interrupt. The line `report` makes the program write a report page; `crash` ends Python.

export async function loadPyodide() {
  let interrupt = null;
  const files = new Set();
  const encoder = new TextEncoder();
  const streams = {};
  const write = (stream, text) => streams[stream].write(encoder.encode(JSON.parse(`"${text}"`)));

  function runProgram(text) {
    for (const line of text.split("\n")) {
      const [, stream, argument] = line.match(/^(print|error)\("(.*)"\)$/) ?? [];
      if (stream) write(stream, argument);
      if (line === "crash") throw new Error("out of memory");
      while (line === "while True: pass") {
        if (interrupt?.[0] === 2) {
          interrupt[0] = 0;
          write("error", "KeyboardInterrupt\\n");
          return undefined;
        }
      }
    }
    return text.includes("\nreport") ? `<p>made by ${[...files].sort().join(" ")}</p>` : undefined;
  }

  return {
    FS: { writeFile: (path, text) => text && files.add(path) },
    loadPackage: async (packages) => {
      const addresses = packages.filter((name) => name.includes("/"));
      const found = await Promise.all(addresses.map(async (name) => (await fetch(name)).ok));
      return found.includes(false) ? [] : packages.map((name) => ({ name }));
    },
    pyimport: () => ({ run_program: runProgram }),
    runPythonAsync: async () => undefined,
    setInterruptBuffer: (buffer) => (interrupt = buffer),
    setStderr: (stream) => (streams.error = stream),
    setStdout: (stream) => (streams.print = stream),
  };
}
