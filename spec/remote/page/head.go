package page

// head is the beginning of every page: it is read in light and dark, and on a
// narrow screen.
const head = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
:root { color-scheme: light dark; --ink:#1b1f24; --soft:#5b6470; --line:#d5dae0; --ground:#fff; --panel:#f6f8fa;
	--expected:#9aa4b1; --observed:#1f6feb; --good:#1a7f37; --bad:#b3261e; --open:#8a6100; }
@media (prefers-color-scheme: dark) { :root { --ink:#e6e9ee; --soft:#9aa4b1; --line:#39414c; --ground:#14181d; --panel:#1b2128;
	--expected:#6f7a88; --observed:#62a0ff; --good:#57c275; --bad:#ff8a80; --open:#e0b44c; } }
body { font:15px/1.5 system-ui, sans-serif; color:var(--ink); background:var(--ground); max-width:72rem; margin:2rem auto; padding:0 1rem; }
h1 { font-size:1.6rem; margin:0 0 .3rem } h2 { font-size:1.25rem; margin:2.5rem 0 .3rem; border-top:1px solid var(--line); padding-top:1.2rem }
h3 { font-size:1rem; margin:1.6rem 0 .3rem; font-family:ui-monospace, monospace } h4 { font-size:.9rem; margin:1rem 0 .2rem; color:var(--soft); font-weight:600 }
p { margin:.3rem 0 } .soft { color:var(--soft) }
table { border-collapse:collapse; width:100%; font-size:.9rem; margin:.8rem 0 } th, td { text-align:left; padding:.3rem .6rem; border-bottom:1px solid var(--line); vertical-align:top }
th { color:var(--soft); font-weight:600 } td.mono { white-space:nowrap } td.mono, code { font-family:ui-monospace, monospace; font-size:.85rem } td a { color:inherit }
.holds { color:var(--good) } .violated { color:var(--bad); font-weight:600 } .undecided, .harness-error { color:var(--open); font-weight:600 }
.charts { display:flex; flex-wrap:wrap; gap:1rem 1.5rem; background:var(--panel); border:1px solid var(--line); border-radius:6px; padding: .8rem 1rem; margin:.4rem 0 }
figure { margin:0; max-width:100%; overflow-x:auto } figcaption { font-size:.8rem; color:var(--soft) }
pre { background:var(--panel); border:1px solid var(--line); border-radius:6px; padding:.6rem .8rem; overflow-x:auto; font-size:.8rem }
.scroll { overflow-x:auto } .scroll table:not(.narrow) { min-width:44rem } code { overflow-wrap:anywhere } .verdict { font-size:1.15rem; font-weight:600; margin:.8rem 0 } li { margin:.25rem 0; overflow-wrap:anywhere } table.narrow { width:auto }
svg text { font:11px system-ui, sans-serif; fill:var(--soft) } svg .axis { stroke:var(--line) } svg .expected { fill:var(--expected) } svg .observed { fill:var(--observed) }
svg .curve { fill:none; stroke:var(--observed); stroke-width:1.8 } svg .limit { stroke:var(--bad); stroke-dasharray:5 4 } svg .zero { stroke:var(--line) }
.key i { display:inline-block; width:.8em; height:.8em; border-radius:2px; margin:0 .3em 0 1em; vertical-align:-.05em }
.key i.e { background:var(--expected) } .key i.o { background:var(--observed) }
</style>
</head>
<body>
`
