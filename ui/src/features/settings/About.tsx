/** What this is, and where it keeps things. */
export function About() {
  return (
    <div className="flex max-w-[440px] flex-col gap-3" data-selectable>
      <p>
        <span className="font-semibold">Rollcall</span> <span className="numeric">{import.meta.env.VITE_VERSION}</span>
      </p>
      <p>
        What exists where, what of it exists nowhere else, and what you wanted to remember about it. Nothing is installed on a
        host.
      </p>
      <p>
        The registry and the log lie in the folder <span className="font-mono text-sm">rollcall</span> of your application
        data, on Linux <span className="font-mono text-sm">~/.local/share/rollcall</span>, unless Rollcall was started with{" "}
        <span className="font-mono text-sm">--data</span> and another one. Host keys you trusted are in a{" "}
        <span className="font-mono text-sm">known_hosts</span> file there. Your own ssh files are read and never written.
      </p>
      <p className="text-soft">MIT or Apache-2.0, as you like.</p>
    </div>
  );
}
