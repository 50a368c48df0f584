// Runs inside.py in Pyodide: node run.mjs JOB, a file that running.py has written.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const { loadPyodide } = await import(pathToFileURL(`${job.release}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${job.release}/` });
await python.loadPackage(job.packages, { messageCallback: () => {} });
for (const folder of job.folders) python.mountNodeFS(folder, folder);
python.globals.set("JOB", process.argv[2]);
try {
  await python.runPythonAsync(readFileSync(job.program, "utf-8"), { filename: job.program });
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
