/* SPDX-License-Identifier: MIT */
/*
 * hwloc's XML, version 2 (hwloc2.dtd): packages, NUMA nodes, caches, cores and CPUs as the run line
 * places them, and how long memory of a node takes and what it gives, by the node of the CPUs that
 * ask: the memory attributes ReadLatency (ns) and ReadBandwidth (MiB/s). docs/format.md says what
 * each stands on.
 */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "linux/report/compare/sets.h"
#include "linux/report/export/export.h"
#include "linux/report/export/metrics.h"
#include "page/picture/svg.h"

#define MIB_PER_GB   (1e9 / 0x100000)
#define NUMBERS_MOST 65536 /* of CPUs and nodes: their sets are bits */

/* The layers between the machine and its cores, by which the CPUs are grouped. */
enum layer { LAYER_PACKAGE, LAYER_NODE, LAYER_L3, LAYERS };

/* A CPU: its number, its place in each layer. */
struct hwloc_cpu {
	unsigned id, in[LAYERS], core, type;
};

struct hwloc_node {
	unsigned number, gp_index;
	size_t first, n; /* its CPUs */
};

struct hwloc_writer {
	FILE *out;
	const struct results *results;
	const json_t *head;
	struct hwloc_cpu *cpus; /* sorted, so that each object has neighbours */
	size_t ncpus;
	unsigned measured_type;   /* the core type of the CPU that was measured */
	enum layer order[LAYERS]; /* from the outermost to the innermost */
	unsigned nlayers, objects;
	struct hwloc_node *nodes;
	size_t nnodes;
	uint32_t set[NUMBERS_MOST / 32];
	int depth; /* of the element that is open */
};

/* --- where the CPUs are --- */

/* A member of a place; `missing` if it is none of the numbers that a set can have. */
static unsigned place_number(const json_t *place, const char *key, unsigned missing)
{
	double number = number_of(place, key);

	return number >= 0 && number < NUMBERS_MOST ? (unsigned)number : missing;
}

static bool all_have(const json_t *topology, const char *key)
{
	const json_t *place;
	size_t i;

	json_array_foreach(topology, i, place)
		if (place_number(place, key, NUMBERS_MOST) == NUMBERS_MOST)
			return false;
	return true;
}

/* Returns true if each CPU has a number of its own. */
static bool numbered(const json_t *topology)
{
	bool *seen = new_array(NUMBERS_MOST + 1, sizeof *seen), alone = all_have(topology, "id");
	const json_t *place;
	size_t i;

	json_array_foreach(topology, i, place) {
		unsigned id = place_number(place, "id", NUMBERS_MOST);
		alone = alone && !seen[id];
		seen[id] = true;
	}
	free(seen);
	return alone;
}

/* Without places, the CPUs have numbers, and nothing else. */
static void read_places(struct hwloc_writer *w)
{
	const json_t *topology = json_object_get(w->head, KEY_TOPOLOGY);
	bool ids = numbered(topology), nodes = all_have(topology, KEY_NODE);
	size_t n = json_array_size(topology);

	w->ncpus = n ? n : place_number(w->head, KEY_CPUS, 1);
	w->ncpus = w->ncpus < 1 ? 1 : w->ncpus < NUMBERS_MOST ? w->ncpus : NUMBERS_MOST;
	w->cpus = new_array(w->ncpus, sizeof *w->cpus);
	for (size_t i = 0; i < w->ncpus; i++) {
		const json_t *place = json_array_get(topology, i);
		struct hwloc_cpu *cpu = &w->cpus[i];
		unsigned package = place_number(place, "package", 0);

		cpu->id = ids && place ? place_number(place, "id", 0) : (unsigned)i;
		cpu->core = place_number(place, "core", (unsigned)i);
		cpu->type = place_number(place, "core_type", 0);
		cpu->in[LAYER_PACKAGE] = package;
		cpu->in[LAYER_NODE] = nodes ? place_number(place, KEY_NODE, 0) : 0;
		cpu->in[LAYER_L3] = place_number(place, "l3", package);
	}
	w->measured_type = w->cpus[0].type;
}

/* Returns true if CPUs that are together in layer a are together in b. */
static bool within(const struct hwloc_writer *w, enum layer a, enum layer b)
{
	unsigned *b_of = new_array(NUMBERS_MOST, sizeof *b_of);
	bool all = true;

	for (size_t i = 0; i < w->ncpus && all; i++) {
		unsigned *seen = &b_of[w->cpus[i].in[a]];
		all = !*seen || *seen == w->cpus[i].in[b] + 1;
		*seen = w->cpus[i].in[b] + 1;
	}
	free(b_of);
	return all;
}

static bool nested(const struct hwloc_writer *w, enum layer a, enum layer b)
{
	return within(w, a, b) || within(w, b, a);
}

/*
 * Choose the layers that can be drawn, the wider ones first; of two that cross, a node is drawn,
 * and then a package.
 */
static void order_layers(struct hwloc_writer *w)
{
	bool package = nested(w, LAYER_PACKAGE, LAYER_NODE);
	bool l3 =
		nested(w, LAYER_L3, LAYER_NODE) && (!package || nested(w, LAYER_L3, LAYER_PACKAGE));
	const bool drawn[LAYERS] = { package, true, l3 };

	for (enum layer layer = 0; layer < LAYERS; layer++) {
		unsigned at = drawn[layer] ? w->nlayers++ : LAYERS;
		if (at == LAYERS)
			continue;
		for (; at && !within(w, layer, w->order[at - 1]); at--)
			w->order[at] = w->order[at - 1];
		w->order[at] = layer;
	}
}

static int by_place(const void *a, const void *b, void *writer)
{
	const struct hwloc_writer *w = writer;
	const struct hwloc_cpu *x = a, *y = b;

	for (unsigned i = 0; i < w->nlayers; i++)
		if (x->in[w->order[i]] != y->in[w->order[i]])
			return x->in[w->order[i]] < y->in[w->order[i]] ? -1 : 1;
	if (x->in[LAYER_PACKAGE] != y->in[LAYER_PACKAGE])
		return x->in[LAYER_PACKAGE] < y->in[LAYER_PACKAGE] ? -1 : 1;
	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* --- elements --- */

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		const char *entity = svg_entity(*text);
		if (entity)
			fputs(entity, out);
		else
			fputc(isprint((unsigned char)*text) ? *text : '?', out);
	}
}

static void indent(struct hwloc_writer *w)
{
	fprintf(w->out, "%*s", 2 * w->depth, "");
}

static void put_info(struct hwloc_writer *w, const char *name, const char *value)
{
	indent(w);
	fprintf(w->out, "<info name=\"%s\" value=\"", name);
	put_escaped(w->out, value);
	fputs("\"/>\n", w->out);
}

/* Write a set of numbers as hwloc does: words of 32 bits, the highest first. */
static void put_set(struct hwloc_writer *w, const char *name, size_t first, size_t n, bool nodes)
{
	size_t words = 1;

	memset(w->set, 0, sizeof w->set);
	for (size_t i = first; i < first + n; i++) {
		unsigned bit = nodes ? w->cpus[i].in[LAYER_NODE] : w->cpus[i].id;
		w->set[bit / 32] |= 1u << bit % 32;
		words = bit / 32 + 1 > words ? bit / 32 + 1 : words;
	}
	fprintf(w->out, " %s=\"", name);
	while (words--)
		fprintf(w->out, "0x%08x%s", w->set[words], words ? "," : "\"");
}

/* Begin an object of n CPUs. number: its own; -1: it has none. Returns its index for references. */
static unsigned begin_object(struct hwloc_writer *w, const char *type, long number, size_t first,
	size_t n)
{
	indent(w);
	fprintf(w->out, "<object type=\"%s\"", type);
	if (number >= 0)
		fprintf(w->out, " os_index=\"%ld\"", number);
	put_set(w, "cpuset", first, n, false);
	put_set(w, "complete_cpuset", first, n, false);
	put_set(w, "nodeset", first, n, true);
	put_set(w, "complete_nodeset", first, n, true);
	fprintf(w->out, " gp_index=\"%u\"", ++w->objects);
	return w->objects;
}

static void open_object(struct hwloc_writer *w)
{
	fputs(">\n", w->out);
	w->depth++;
}

static void close_object(struct hwloc_writer *w)
{
	w->depth--;
	indent(w);
	fputs("</object>\n", w->out);
}

/* --- caches --- */

/* Returns CPUID's claim of a cache; NULL: there is none. */
static const json_t *claim_of(const struct hwloc_writer *w, unsigned level, bool instructions)
{
	const json_t *claims = json_object_get(w->head, KEY_CACHES_CLAIMED), *claim;
	size_t i;

	json_array_foreach(claims, i, claim)
		if (number_of(claim, "level") == level &&
			!strcmp(text_of(claim, "type"), "instruction") == instructions)
			return claim;
	return NULL;
}

static void put_origin(struct hwloc_writer *w, const struct metric *m, const json_t *claim)
{
	double claimed = number_of(claim, KEY_BYTES);
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	if (isfinite(m->value))
		fputs("measured", out);
	if (isfinite(m->low) && isfinite(m->high))
		fprintf(out, " within %.0f..%.0f bytes", m->low, m->high);
	if (claimed > 0)
		fprintf(out, "%sclaimed by CPUID: %.0f bytes", isfinite(m->value) ? "; " : "",
			claimed);
	fclose(out);
	put_info(w, "anechoic_size", text);
	free(text);
}

/* Open a cache if its size was measured, or else is claimed. */
static bool open_cache(struct hwloc_writer *w, unsigned level, bool instructions, size_t first,
	size_t n)
{
	static const enum value_id sizes[] = { VALUE_l1d_bytes, VALUE_l2_bytes, VALUE_l3_bytes };
	const json_t *claim = claim_of(w, level, instructions);
	struct metric m = metric_of(w->results, &w->results->runs[0], sizes[level - 1]);
	char type[16];

	if (instructions)
		m = (struct metric){ "", NAN, NAN, NAN };
	double bytes = isfinite(m.value) ? m.value : number_or(claim, KEY_BYTES, 0);
	if (!(bytes >= 1 && bytes < 1e15))
		return false;
	snprintf(type, sizeof type, "L%u%sCache", level, instructions ? "i" : "");
	begin_object(w, type, -1, first, n);
	fprintf(w->out, " cache_size=\"%.0f\" depth=\"%u\"", bytes, level);
	fprintf(w->out, " cache_linesize=\"%u\"", place_number(claim, "line_bytes", 0));
	fprintf(w->out, " cache_associativity=\"%u\" cache_type=\"%d\"",
		place_number(claim, "ways", 0),
		instructions         ? 2
			: level == 1 ? 1
				     : 0);
	open_object(w);
	put_origin(w, &m, claim);
	return true;
}

/*
 * Open the core's own caches, L2 first. Those of another type of core than the measured one are not
 * known, and an L2 that more than the threads of a core share is not drawn: no line says who does.
 */
static unsigned open_core_caches(struct hwloc_writer *w, size_t first, size_t n)
{
	bool own = number_or(claim_of(w, 2, false), "shared_by", 1) <= 2;

	if (w->cpus[first].type != w->measured_type)
		return 0;
	return (own && open_cache(w, 2, false, first, n)) + open_cache(w, 1, false, first, n) +
		open_cache(w, 1, true, first, n);
}

/* --- the tree --- */

static void put_core(struct hwloc_writer *w, size_t first, size_t n)
{
	unsigned caches = open_core_caches(w, first, n);

	begin_object(w, "Core", (long)w->cpus[first].core, first, n);
	open_object(w);
	for (size_t i = first; i < first + n; i++) {
		begin_object(w, "PU", (long)w->cpus[i].id, i, 1);
		fputs("/>\n", w->out);
	}
	close_object(w);
	while (caches--)
		close_object(w);
}

static void put_cores(struct hwloc_writer *w, size_t first, size_t end)
{
	for (size_t next; first < end; first = next) {
		const struct hwloc_cpu *cpu = &w->cpus[first];
		for (next = first + 1; next < end && w->cpus[next].core == cpu->core &&
			w->cpus[next].in[LAYER_PACKAGE] == cpu->in[LAYER_PACKAGE];
			next++)
			;
		put_core(w, first, next - first);
	}
}

static void put_node(struct hwloc_writer *w, size_t first, size_t n)
{
	struct hwloc_node *node = grow((void **)&w->nodes, &w->nnodes, sizeof *node);
	double bytes = number_or(w->head, "memory_bytes", 0);

	node->number = w->cpus[first].in[LAYER_NODE];
	node->gp_index = begin_object(w, "NUMANode", (long)node->number, first, n);
	node->first = first;
	node->n = n;
	if (n == w->ncpus && bytes > 0 && bytes < 1e18)
		fprintf(w->out, " local_memory=\"%.0f\"", bytes);
	fputs("/>\n", w->out);
}

static void put_processor(struct hwloc_writer *w)
{
	static const char *const names[][2] = { { KEY_VENDOR, "CPUVendor" },
		{ KEY_FAMILY, "CPUFamilyNumber" }, { KEY_MODEL, "CPUModelNumber" },
		{ KEY_BRAND, "CPUModel" }, { KEY_STEPPING, "CPUStepping" } };
	const json_t *cpu = json_object_get(w->head, KEY_CPU);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char number[24];
		snprintf(number, sizeof number, "%.0f", number_of(cpu, names[i][0]));
		const char *text = text_of(cpu, names[i][0]);
		if (*text || json_is_number(json_object_get(cpu, names[i][0])))
			put_info(w, names[i][1], *text ? text : number);
	}
}

/* Open the object of a group of the layer. Returns true if one was opened. */
static bool open_group(struct hwloc_writer *w, enum layer layer, size_t first, size_t n, bool whole)
{
	switch (layer) {
	case LAYER_PACKAGE:
		begin_object(w, "Package", (long)w->cpus[first].in[layer], first, n);
		open_object(w);
		put_processor(w);
		return true;
	case LAYER_NODE:
		/* A node is memory beside its parent's CPUs: a part of these needs a parent. */
		if (!whole) {
			begin_object(w, "Group", -1, first, n);
			open_object(w);
		}
		put_node(w, first, n);
		return !whole;
	default:
		return open_cache(w, 3, false, first, n);
	}
}

/* Write the CPUs first..end from that layer on. */
static void put_layer(struct hwloc_writer *w, unsigned at, size_t first, size_t end)
{
	size_t begin = first;

	if (at == w->nlayers) {
		put_cores(w, first, end);
		return;
	}
	for (size_t next; first < end; first = next) {
		enum layer layer = w->order[at];
		for (next = first + 1;
			next < end && w->cpus[next].in[layer] == w->cpus[first].in[layer]; next++)
			;
		bool opened =
			open_group(w, layer, first, next - first, first == begin && next == end);
		put_layer(w, at + 1, first, next);
		if (opened)
			close_object(w);
	}
}

static void put_machine(struct hwloc_writer *w)
{
	bool emulated = json_is_true(json_object_get(w->head, KEY_EMULATED));
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	fprintf(out, "room %s, build %s, %s%s", text_of(w->head, KEY_ROOM),
		text_of(w->head, KEY_BUILD), text_of(w->head, KEY_TIME_UTC),
		emulated ? ", EMULATED: the times mean nothing" : "");
	fclose(out);
	begin_object(w, "Machine", 0, 0, w->ncpus);
	put_set(w, "allowed_cpuset", 0, w->ncpus, false);
	put_set(w, "allowed_nodeset", 0, w->ncpus, true);
	open_object(w);
	put_info(w, "anechoic", text);
	put_layer(w, 0, 0, w->ncpus);
	close_object(w);
	free(text);
}

/* --- memory attributes --- */

/* The node of that number; the only one, if the number is not known; NULL: it has no CPU. */
static const struct hwloc_node *node_of(const struct hwloc_writer *w, double number)
{
	for (size_t i = 0; i < w->nnodes; i++)
		if (w->nodes[i].number == number || (isnan(number) && w->nnodes == 1))
			return &w->nodes[i];
	return NULL;
}

static void put_attribute_value(struct hwloc_writer *w, double cpu_node, double memory_node,
	double value)
{
	const struct hwloc_node *from = node_of(w, cpu_node), *to = node_of(w, memory_node);

	if (!from || !to || !(value > 0 && value < 1e15))
		return;
	indent(w);
	fprintf(w->out,
		"<memattr_value target_obj_type=\"NUMANode\" target_obj_gp_index=\"%u\" "
		"value=\"%.0f\"",
		to->gp_index, fmax(value, 1));
	put_set(w, "initiator_cpuset", from->first, from->n, false);
	fputs("/>\n", w->out);
}

/* Write the rows of that variant as values of an attribute. Returns how many rows there are. */
static size_t put_row_values(struct hwloc_writer *w, const char *variant, double scale)
{
	struct sets sets = { 0 };
	size_t n = 0;

	sets_add(&sets, w->results, true);
	sets_pool(&sets);
	for (size_t i = 0; sets.n && i < sets.set->nrows; i++) {
		const struct pooled *p = &sets.set->rows[i];
		if (strcmp(p->row->probe, "cores") || strcmp(p->row->variant, variant))
			continue;
		n++;
		put_attribute_value(w, row_parameter(p->row->json, "cpu_node"),
			row_parameter(p->row->json, "memory_node"), p->median * scale);
	}
	sets_free(&sets);
	return n;
}

static void open_attribute(struct hwloc_writer *w, const char *name, unsigned flags)
{
	indent(w);
	fprintf(w->out, "<memattr name=\"%s\" flags=\"%u\">\n", name, flags);
	w->depth++;
}

static void close_attribute(struct hwloc_writer *w)
{
	w->depth--;
	indent(w);
	fputs("</memattr>\n", w->out);
}

/* hwloc's flags: 1 the higher the better, 2 the lower; 4 by initiator. */
static void put_attributes(struct hwloc_writer *w)
{
	const struct run_data *run = &w->results->runs[0];
	struct metric latency = metric_of(w->results, run, VALUE_memory_latency_ns);
	struct metric read = metric_of(w->results, run, VALUE_memory_read_gbs);

	open_attribute(w, "ReadBandwidth", 1 | 4);
	if (!put_row_values(w, "node-read-all", MIB_PER_GB) && w->nnodes == 1)
		put_attribute_value(w, NAN, NAN, read.value * MIB_PER_GB);
	close_attribute(w);
	open_attribute(w, "ReadLatency", 2 | 4);
	if (!put_row_values(w, "node-latency", 1) && w->nnodes == 1)
		put_attribute_value(w, NAN, NAN, latency.value);
	close_attribute(w);
}

size_t export_hwloc(const struct results *results, FILE *out)
{
	struct hwloc_writer *w = new_array(1, sizeof *w);

	w->out = out;
	w->results = results;
	w->head = results->runs[0].head;
	read_places(w);
	order_layers(w);
	qsort_r(w->cpus, w->ncpus, sizeof *w->cpus, by_place, w);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	      "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n",
		out);
	w->depth = 1;
	put_machine(w);
	put_attributes(w);
	fputs("</topology>\n", out);
	free(w->nodes);
	free(w->cpus);
	free(w);
	return 0;
}
