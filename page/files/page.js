"use strict";
/*
 * Answers about the drawn pictures (page/picture/chart.h describes their paths): finds the point that
 * is meant, its row, and the distribution of that row's samples. No number that is shown is computed:
 * all are the file's.
 */
(function () {
var data = JSON.parse(document.getElementById("data").textContent), runs = data.runs;
var shown = ["median", "min", "p90", "p99", "max"].filter(function (name) {
	return data.columns.indexOf(name) >= 0;
});
var svgns = "http://www.w3.org/2000/svg", tip = node("div", document.body, "");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("role", "status");

runs.forEach(function (run) {
	run.rows = {};
	run.groups.forEach(function (g) {
		g.r.forEach(function (numbers) {
			var row = { run: run, p: g.p, v: g.v, u: g.u };
			data.columns.forEach(function (name, i) { row[name] = numbers[i]; });
			row.label = data.labels[row.label];
			run.rows[row.i] = row;
		});
	});
});

function node(name, parent, text) {
	var n = document.createElement(name);
	n.textContent = text;
	parent.appendChild(n);
	return n;
}

function draw(name, parent, attributes, text) {
	var n = document.createElementNS(svgns, name);
	Object.keys(attributes).forEach(function (key) { n.setAttribute(key, attributes[key]); });
	if (text !== undefined)
		n.textContent = text;
	parent.appendChild(n);
	return n;
}

function known(value) { return value === null ? "-" : String(value); }

function title(row) { return row.run.name + ": " + row.p + " " + row.v + " " + row.label; }

function describe(row) {
	return title(row) + "\n" + shown.map(function (name) {
		return name + " " + known(row[name]) + (name === "median" ? " " + row.u : "");
	}).join(", ").replace(", ", "\n") + "\n" + known(row.samples) + " samples, " +
		known(row.disturbed) + " disturbed" +
		(row.core_hz ? "\ncore clock " + row.core_hz + " Hz" : "");
}

/* The points of a picture: place, path and answer. */
function points(svg) {
	var all = [];
	if (svg.points)
		return svg.points;
	svg.querySelectorAll("path[data-r],path[data-t]").forEach(function (path, at) {
		var texts = path.dataset.t ? path.dataset.t.split("|") : null;
		var ids = texts || path.dataset.r.split(" ");
		var places = path.getAttribute("d").match(/[ML][-\d.]+ [-\d.]+/g) || [];
		places.forEach(function (place, i) {
			var xy = place.slice(1).split(" ");
			all.push({ x: +xy[0], y: +xy[1], path: at, text: texts && texts[i],
				row: texts ? null : runs[path.dataset.run].rows[ids[i]] });
		});
	});
	svg.points = all;
	return all;
}

function show(svg, point) {
	var box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
	var scale = box.width / view.width, x = box.left + point.x * scale, y = box.top + point.y * scale;
	if (!svg.ring)
		svg.ring = draw("circle", svg, { "class": "ring", r: 5 });
	svg.ring.setAttribute("cx", point.x);
	svg.ring.setAttribute("cy", point.y);
	svg.at = point;
	tip.textContent = point.row ? describe(point.row) : point.text;
	tip.hidden = false;
	tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - tip.offsetWidth - 4)) + "px";
	tip.style.top = Math.max(4, y + 14 + tip.offsetHeight > innerHeight ?
		y - tip.offsetHeight - 12 : y + 14) + "px";
}

function hide(svg) {
	tip.hidden = true;
	if (svg.ring)
		svg.ring.remove();
	svg.ring = svg.at = null;
}

function nearest(svg, x, y, only) {
	var best = null, least = Infinity;
	points(svg).forEach(function (p) {
		var d = (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
		if (d < least && (!only || only(p))) {
			least = d;
			best = p;
		}
	});
	return best;
}

function point_at(svg, e) {
	var box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
	var x = (e.clientX - box.left) * scale, y = (e.clientY - box.top) * scale;
	var p = nearest(svg, x, y);
	return p && Math.abs(p.x - x) + Math.abs(p.y - y) < 60 ? p : null;
}

/* Left and right go along a curve, up and down to another. */
function move(svg, key) {
	var all = points(svg), at = svg.at || all[0], step = key === "ArrowRight" ? 1 : -1, next;
	if (!at)
		return;
	if (key === "ArrowUp" || key === "ArrowDown") {
		next = nearest(svg, at.x, at.y, function (p) {
			return p.path !== at.path && (key === "ArrowUp" ? p.y <= at.y : p.y >= at.y);
		});
	} else {
		next = svg.at ? all[all.indexOf(at) + step] : at;
		if (next && next.path !== at.path)
			next = null;
	}
	show(svg, next || at);
}

/* The samples in ascending order with the part that is no greater; else the row's statistics. */
function distribution(row) {
	var s = row.run.s[row.i];
	if (!s)
		return [[row.min, 0], [row.median, 0.5], [row.p90, 0.9], [row.p99, 0.99],
			[row.max, 1]].filter(function (p) { return typeof p[0] === "number"; });
	return s.map(function (v, i) { return [v, s.length > 1 ? i / (s.length - 1) : 1]; });
}

function cdf(row, after) {
	var figure = document.createElement("figure"), line = distribution(row), d = "", last = -99;
	var low = line[0][0], high = line[line.length - 1][0], log = low > 0 && high > 4 * low;
	var svg, samples = row.run.s[row.i];
	function place(v) {
		var part = log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low || 1);
		return 40 + 380 * part;
	}
	if (after.nextSibling && after.nextSibling.row === row) {
		after.nextSibling.remove();
		return;
	}
	figure.row = row;
	figure.className = "cdf";
	node("h3", figure, title(row));
	node("p", figure, "Part of the samples that is no greater: " + (samples ? samples.length +
		" of " + row.samples + " samples" : "from the row's quantiles") + ", " + row.u +
		(log ? ", logarithmic" : ""));
	svg = draw("svg", figure, { "class": "pic", viewBox: "0 0 440 200", role: "img" });
	[0, 50, 100].forEach(function (part) {
		draw("text", svg, { "class": "f e", x: 34, y: 174 - 1.6 * part }, part + " %");
		draw("path", svg, { "class": "g", d: "M40 " + (170 - 1.6 * part) + "H420" });
	});
	line.forEach(function (p, i) {
		d += (i ? "L" : "M") + place(p[0]).toFixed(1) + " " + (170 - 160 * p[1]).toFixed(1);
	});
	draw("path", draw("g", svg, { "class": "c0 d0" }), { "class": "l", d: d });
	[low, row.median, high].forEach(function (v) {
		if (place(v) - last < 80 || (v !== high && 420 - place(v) < 80 && v !== low))
			return;
		last = place(v);
		draw("text", svg, { "class": "f " + (v === high && v !== low ? "e" : "m"),
			x: Math.max(30, last), y: 190 }, String(v));
	});
	after.parentNode.insertBefore(figure, after.nextSibling);
}

document.querySelectorAll("svg.pic").forEach(function (svg) {
	svg.addEventListener("pointermove", function (e) {
		var p = point_at(svg, e);
		if (p)
			show(svg, p);
		else
			hide(svg);
	});
	svg.addEventListener("pointerleave", function () { hide(svg); });
	svg.addEventListener("blur", function () { hide(svg); });
	svg.addEventListener("click", function (e) {
		var p = point_at(svg, e);
		if (p && p.row)
			cdf(p.row, svg.closest("figure"));
	});
	svg.addEventListener("keydown", function (e) {
		if (e.key.indexOf("Arrow") === 0)
			move(svg, e.key);
		else if (e.key === "Enter" && svg.at && svg.at.row)
			cdf(svg.at.row, svg.closest("figure"));
		else if (e.key === "Escape")
			hide(svg);
		else
			return;
		e.preventDefault();
	});
});

function table(details) {
	var box = node("div", details, ""), rows, head;
	box.className = "wide";
	rows = node("table", box, "");
	head = node("tr", node("thead", rows, ""), "");
	["run", "row", "unit"].concat(shown, "samples", "disturbed").forEach(function (text) {
		node("th", head, text);
	});
	rows = node("tbody", rows, "");
	runs.forEach(function (run) {
		Object.keys(run.rows).forEach(function (i) {
			var row = run.rows[i], tr;
			if (row.p !== details.dataset.probe)
				return;
			tr = node("tr", rows, "");
			tr.tabIndex = 0;
			[run.name, row.v + " " + row.label, row.u].concat(shown.map(function (name) {
				return row[name];
			}), row.samples, row.disturbed).forEach(function (value, at) {
				node("td", tr, known(value)).className = at < 3 ? "t" : "";
			});
			tr.onclick = function () { cdf(row, box); };
			tr.onkeydown = function (e) { if (e.key === "Enter") cdf(row, box); };
		});
	});
}

document.querySelectorAll("details.rows").forEach(function (details) {
	details.addEventListener("toggle", function () {
		if (details.open && !details.querySelector("table"))
			table(details);
	});
});
})();
