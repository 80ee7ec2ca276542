// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Style and script of the report page. It loads no font, picture or script from outside.
namespace kerb::sim {

inline constexpr const char* kPageStyle = R"(
:root{--bg:#f6f7f8;--card:#fff;--ink:#1b2026;--dim:#5d6773;--line:#dfe3e8;--good:#1a7f4b;--goodbg:#e3f4ea;
--bad:#c0291c;--badbg:#fbe6e3;--true:#2563c9;--ttc:#7a3fb5;--dot:#e08600;--info:#f2b100;--infoink:#3d2c00;
--coll:#d92d20;--lane:#eef1f4;--vis:#8fb3e6;--people:#b9c4d0;--close:#f5cf7a;--lamp:#e58b84;--sound:#c98fd8;--unwell:#c084d8}
@media(prefers-color-scheme:dark){:root{--bg:#12161b;--card:#1a2027;--ink:#e6eaee;--dim:#98a3af;--line:#2d353e;
--good:#5fd097;--goodbg:#163627;--bad:#ff8a7d;--badbg:#43201d;--true:#7fb0ff;--ttc:#cfa3ff;--dot:#ffb64a;--info:#e0a800;
--coll:#e5483b;--lane:#242c35;--vis:#3f6298;--people:#4b5866;--close:#7d6527;--lamp:#8f423c;--sound:#6d4480;--unwell:#7a4591}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1080px;margin:0 auto;padding:16px 14px 60px}
h1{font-size:1.45rem;margin:.3em 0;display:flex;flex-wrap:wrap;gap:.5em;align-items:center}
h2{font-size:1.1rem;margin:.2em 0 .1em;display:flex;gap:.5em;align-items:center}
h3{font-size:.95rem;margin:1.3em 0 .4em}
p{margin:.35em 0}.sub{color:var(--dim);font-size:.88rem;font-weight:400}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px;margin:12px 0}
.badge{font-size:.74rem;font-weight:600;padding:.12em .55em;border-radius:99px;white-space:nowrap}
.badge.good{background:var(--goodbg);color:var(--good)}.badge.bad{background:var(--badbg);color:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.3em .5em;border-top:1px solid var(--line);font-weight:400;vertical-align:middle}
thead th{border-top:0;color:var(--dim);font-size:.78rem;vertical-align:bottom}
.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}thead .num{white-space:normal}
table.slim{width:auto;min-width:260px}
tbody th{min-width:6em}.meter{display:block;min-width:48px;height:8px;border-radius:4px;background:var(--badbg);overflow:hidden}
.meter i{display:block;height:100%;background:var(--good)}.meter i.bad{background:var(--bad)}
button.link{all:unset;cursor:pointer;color:inherit;text-decoration:underline dotted;text-underline-offset:3px;overflow-wrap:break-word}
button.link:focus-visible{outline:2px solid var(--true)}
.tools{display:flex;flex-wrap:wrap;gap:10px 16px;align-items:center;margin:.4em 0;position:sticky;top:0;background:var(--bg);padding:8px 0;z-index:1}
.tools input[type=search]{flex:1 1 220px;max-width:420px;font:inherit;padding:.4em .6em;border:1px solid var(--line);border-radius:6px;background:var(--card);color:var(--ink)}
.tools label{white-space:nowrap}#count{color:var(--dim);font-size:.88rem}
details.run{background:var(--card);border:1px solid var(--line);border-radius:6px;margin:4px 0;content-visibility:auto;contain-intrinsic-size:auto 38px}
summary{cursor:pointer;padding:.45em .7em;display:flex;gap:.3em .8em;align-items:baseline;list-style:none}
summary::-webkit-details-marker{display:none}
.tick{font-weight:700;color:var(--good)}.bad .tick{color:var(--bad)}
.name{font-weight:600;overflow-wrap:anywhere;flex:0 1 auto}
.short{color:var(--dim);font-size:.88rem;flex:1 1 0;text-align:right}
.run.bad .short{color:var(--bad)}
.inside{padding:2px 12px 12px;border-top:1px solid var(--line)}
.verdicts td{border-top:1px solid var(--line);padding:.25em .5em}.verdicts td:first-child{width:1.5em;font-weight:700;color:var(--good)}
.verdicts .bad td:first-child,.verdicts .bad td:last-child{color:var(--bad)}.rule{color:var(--dim);white-space:nowrap;width:1%}
.pictures{display:flex;flex-wrap:wrap;gap:10px;margin:8px 0}
figure{margin:0;flex:1 1 300px;max-width:416px}figure img{width:100%;height:auto;border-radius:4px;display:block;background:var(--lane)}
figcaption{font-size:.82rem;color:var(--dim);padding:2px 0}
svg.time{width:100%;max-width:760px;height:auto;display:block;margin:8px 0}
svg text{fill:var(--dim);font-size:9.5px;font-family:inherit}svg .title{fill:var(--ink);font-size:9.5px}
svg .end{text-anchor:end}svg .middle{text-anchor:middle}svg .note{fill:var(--ink);paint-order:stroke;stroke:var(--card);stroke-width:3px}
svg .grid{stroke:var(--line);stroke-width:.6;fill:none}
svg .line{fill:none;stroke-width:1.8;stroke-linejoin:round}svg .true{stroke:var(--true)}svg .ttc{stroke:var(--ttc)}
svg .wanted{stroke:var(--coll);stroke-width:1;stroke-dasharray:4 3;fill:none}
svg .dot{fill:var(--dot)}svg .lane{fill:var(--lane)}svg .visible{fill:var(--vis)}svg .people{fill:var(--people)}
svg .close{fill:var(--close)}svg .fault{fill:var(--unwell)}svg .information{fill:var(--info)}svg .collision{fill:var(--coll)}
svg .lamp{fill:var(--lamp)}svg .sound{fill:var(--sound)}svg .active{fill:var(--goodbg)}svg .starting{fill:var(--people)}svg .unwell{fill:var(--unwell)}
svg .inbar{fill:var(--ink);font-size:8.5px}svg .collision+.inbar{fill:#fff}svg .information+.inbar{fill:var(--infoink)}
svg .impact{stroke:var(--coll);stroke-width:1.2;fill:none}svg .seen{stroke:var(--true);stroke-width:1;stroke-dasharray:2 3;fill:none}
.none{display:none}
@media(max-width:640px){main{padding:10px 10px 50px}.wide{display:none}th,td{padding:.3em .3em}.card{padding:10px}
summary{flex-wrap:wrap}.short{flex:1 1 100%;text-align:left;padding-left:1.6em}svg text,svg .title{font-size:11px}svg .inbar{font-size:9.5px}}
@media print{.tools{display:none}}
)";

inline constexpr const char* kPageScript = R"(
const runs=[...document.querySelectorAll('details.run')],find=document.getElementById('find'),only=document.getElementById('only'),count=document.getElementById('count');
function show(){const words=find.value.toLowerCase().split(/\s+/).filter(Boolean);let n=0;
for(const r of runs){const t=r.dataset.text.toLowerCase();const ok=(!only.checked||r.classList.contains('bad'))&&words.every(w=>t.includes(w));r.classList.toggle('none',!ok);if(ok)n++}
for(const h of document.querySelectorAll('h3')){let any=false;for(let e=h.nextElementSibling;e&&e.tagName!='H3';e=e.nextElementSibling)if(!e.classList.contains('none'))any=true;h.classList.toggle('none',!any)}
count.textContent=n+' of '+runs.length+' runs';return n}
find.addEventListener('input',show);only.addEventListener('change',show);
for(const b of document.querySelectorAll('button[data-find]'))b.addEventListener('click',()=>{find.value=b.dataset.find;const n=show();
const first=runs.find(r=>!r.classList.contains('none'));if(first){if(n==1)first.open=true;document.querySelector('.tools').scrollIntoView({behavior:'smooth'})}});
show();
)";

}  // namespace kerb::sim
