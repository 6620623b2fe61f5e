/* SPDX-License-Identifier: MIT */
/* The list of the pictures, in the order of the page; docs/report.md explains how to read them. */
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "page/pictures.h"
#include "lib/math.h"
#include "page/page_memory.h"
#include "page/shown_run.h"

static picture_fn picture_matrix;

/* Axes for these lines: the quantity, with its unit. */
#define AXIS(of, axis_name, ...)                                                                   \
	{                                                                                          \
		.kind = of, .name = axis_name, ##__VA_ARGS__                                       \
	}
#define LINEAR(name) AXIS(AXIS_LINEAR, name)
#define WHOLE(name)  AXIS(AXIS_LINEAR, name, .whole = true)
#define GHZ(name)    AXIS(AXIS_LINEAR, name, .per = 1e9)
#define LOG(name)    AXIS(AXIS_LOG, name)
#define BYTES(name)  AXIS(AXIS_BYTES, name)
#define COUNT(name)  AXIS(AXIS_COUNT, name)
#define TIME(name)   AXIS(AXIS_TIME, name)

#define CURVE  .make = picture_curve
#define MATRIX .make = picture_matrix, .each_run = true

const struct picture pictures[] = {
	{ "latency", "latency", "pointer-padded", "Latency of dependent loads",
		"Median; the band is minimum to 90th percentile. Lines down: where a cache ends as "
		"measured; dotted: as CPUID claims.",
		CURVE, .x = "bytes", .x_axis = BYTES("buffer"), .y = "median",
		.y_axis = LOG("ns per load"), .split = "page_bytes", .band = true,
		.marks = "L1 l1d_bytes|L2 l2_bytes|L3 l3_bytes|L4 l4_bytes",
		.says = "L1 ends at {l1d_bytes}|L2 ends at {l2_bytes}|L3 ends at {l3_bytes}|L4 "
			"ends at {l4_bytes}|"
			"memory takes {memory_latency_ns}|4 KiB pages cost {page_size_effect} in "
			"memory" },
	{ "latency-methods", "latency",
		"method-checked,method-unchecked,method-padded,method-raw,method-raw-padded",
		"Latency by the source's methods", "Each loop of the source over the whole sweep.",
		CURVE, .x = "bytes", .x_axis = BYTES("buffer"), .y = "median",
		.y_axis = LOG("ns per load"), .split = "page_bytes" },
	{ "mlp", "mlp", "chains", "Misses in parallel",
		"Independent chains in memory at once: how many times faster than one.", CURVE,
		.x = "lanes", .x_axis = COUNT("chains"), .y = "more.speedup",
		.y_axis = LINEAR("speed-up"), .split = "page_bytes", .only = ONLY_MEMORY,
		.marks = "parallel_misses", .marks_at_y = true,
		.says = "{parallel_misses} misses at once|&{parallel_misses_4k} with 4 KiB pages" },
	{ "mlp-batch", "mlp", "batch", "Batches of chains over all sizes",
		"Time per line with that many chains at once; nothing is flushed.", CURVE,
		.x = "bytes", .x_axis = BYTES("buffer"), .y = "median",
		.y_axis = LOG("ns per line"), .split = "lanes" },
	{ "mlp-work", "mlp", "batch-work", "Batches with work on each node",
		"Time per line with so many steps of work on each node.", CURVE, .x = "bytes",
		.x_axis = BYTES("buffer"), .y = "median", .y_axis = LOG("ns per line"),
		.split = "work" },
	{ "mlp-prefetch", "mlp", "batch-prefetch", "Batches with work and prefetches",
		"The same, each node prefetched a turn before.", CURVE, .x = "bytes",
		.x_axis = BYTES("buffer"), .y = "median", .y_axis = LOG("ns per line"),
		.split = "work" },
	{ "bandwidth", "bandwidth", "read,write,copy,nt-write", "Bandwidth by size",
		"The widest accesses, the largest pages. A copy counts bytes read and written.",
		CURVE, .x = "bytes", .x_axis = BYTES("buffer"), .y = "median",
		.y_axis = LOG("GB/s"), .only = ONLY_WIDEST | ONLY_LARGEST_PAGES,
		.says = "the fastest width reads {read_bytes_per_cycle_l1} bytes a core cycle from "
			"L1|&{read_bytes_per_cycle_l2} from L2|&{read_bytes_per_cycle_l3} from L3|"
			"&{read_bytes_per_cycle_l4} from L4|&{read_bytes_per_cycle_memory} from "
			"memory" },
	{ "bandwidth-rep", "bandwidth", "rep-movsb,rep-stosb", "Bandwidth of one instruction",
		"A whole pass by REP MOVSB (a copy) or REP STOSB (a fill).", CURVE, .x = "bytes",
		.x_axis = BYTES("buffer"), .y = "median", .y_axis = LOG("GB/s"),
		.only = ONLY_LARGEST_PAGES },
	{ "bandwidth-width", "bandwidth", "read", "Bandwidth of reads by width",
		"Half of L1, half of L2, a third of L3, and memory.", CURVE, .x = "width_bits",
		.x_axis = COUNT("bits of an access"), .y = "median", .y_axis = LOG("GB/s"),
		.split = "level", .only = ONLY_LEVELS | ONLY_LARGEST_PAGES },
	{ "bandwidth-width-write", "bandwidth", "write", "Bandwidth of writes by width",
		"Half of L1, half of L2, a third of L3, and memory.", CURVE, .x = "width_bits",
		.x_axis = COUNT("bits of an access"), .y = "median", .y_axis = LOG("GB/s"),
		.split = "level", .only = ONLY_LEVELS | ONLY_LARGEST_PAGES },
	{ "noise", "noise", "gaps", "Noise: how often, how long",
		"Gaps per second that were at least so long; lower and further left is quieter. "
		"Lines down: limits of the field's tools.",
		picture_gaps, .x = "seconds", .y = "more.observed_seconds",
		.x_axis = TIME("length of a gap"),
		.y_axis = LOG("gaps a second, so long or longer"),
		.says = "{noise_gaps_per_second} gaps a second|&the longest {noise_longest_ns}" },
	{ "noise-cpus", "noise", "longest-all", "The longest gap of each CPU",
		"While all CPUs scan at once: the median over the slices.", CURVE, .x = "cpu",
		.x_axis = WHOLE("CPU"), .y = "median", .y_axis = TIME("longest gap of a slice"),
		.form = FORM_LARGE_POINTS, .band = true },
	{ "random", "random", "read,write", "Random accesses, independent",
		"Throughput, not latency: no access waits for another.", CURVE, .x = "bytes",
		.x_axis = BYTES("buffer"), .y = "median", .y_axis = LOG("ns per access"),
		.only = ONLY_WIDEST | ONLY_LARGEST_PAGES },
	{ "stride", "stride", "even,odd", "Strided copy",
		"Time per touched byte: grows with the stride as long as every line is touched.",
		CURVE, .x = "stride_bytes", .x_axis = COUNT("stride, bytes"), .y = "median",
		.y_axis = LOG("ns per byte") },
	{ "stride-flush", "stride", "flush-beside", "Loads beside a flushed address",
		"The first distance at which loads hit is the length of a line.", CURVE,
		.x = "apart_bytes", .x_axis = COUNT("distance, bytes"), .y = "median",
		.y_axis = LOG("ns per load"), .marks = "line_bytes",
		.says = "a line has {line_bytes} bytes" },
	{ "shuffle", "shuffle", "fisher-yates", "Fisher-Yates shuffle", "Time per element.", CURVE,
		.x = "bytes", .x_axis = BYTES("array"), .y = "median",
		.y_axis = LOG("ns per element"), .band = true },
	{ "tlb", "tlb", "cost", "Address translation",
		"A line in each of so many pages, less as many lines side by side. Lines down: "
		"entries of each level.",
		CURVE, .x = "pages", .x_axis = COUNT("pages"), .y = "median",
		.y_axis = LOG("ns per load; 0.1 is 0.1 or less"), .split = "page_bytes",
		.floor = 0.1,
		.marks = "4K dtlb_4k_entries|4K, 2nd stlb_entries|2M dtlb_2m_entries|"
			 "2M, 2nd stlb_2m_entries",
		.says = "{dtlb_4k_entries} entries for 4 KiB pages|&{stlb_entries} in the second "
			"level|a walk costs {walk_cycles} cycles at least" },
	{ "tlb-chases", "tlb", "spread,control", "Address translation: the two chases",
		"A line in each of so many pages, and as many lines side by side.", CURVE,
		.x = "pages", .x_axis = COUNT("pages"), .y = "median", .y_axis = LOG("ns per load"),
		.split = "page_bytes" },
	{ "window", "window", "two-misses", "Out-of-order window",
		"Two misses ever farther apart: where they no longer overlap, the window is full.",
		CURVE, .x = "instructions", .x_axis = LINEAR("instructions"), .y = "median",
		.y_axis = LINEAR("ns per pair"), .marks = "window_instructions",
		.says = "the window holds {window_instructions} instructions" },
	{ "backend", "backend", "integer,vector,load,store,branch", "What the window holds",
		"Two misses with ever more of a kind between them: where they no longer overlap, "
		"the registers or the queue of that kind are full.",
		CURVE, .x = "entries", .x_axis = LINEAR("of that kind"), .y = "median",
		.y_axis = LINEAR("ns per pair"),
		.says = "{integers_in_flight} integer registers|{vectors_in_flight} vector "
			"registers|{loads_in_flight} loads|{stores_in_flight} "
			"stores|{branches_in_flight} branches" },
	{ "backend-waiting", "backend", "add-waiting,vector-waiting,load-waiting,store-waiting",
		"What can wait",
		"The same with what waits for the first miss: where the scheduler is full.", CURVE,
		.x = "entries", .x_axis = LINEAR("waiting"), .y = "median",
		.y_axis = LINEAR("ns per pair"),
		.says = "{adds_waiting} adds wait|{vectors_waiting} of vectors|{loads_waiting} "
			"loads|{stores_waiting} stores" },
	{ "frontend", "frontend", "dense,six,short,long", "Fetching code",
		"Straight code of growing size: where the op cache and L1I end.", CURVE,
		.x = "bytes", .x_axis = BYTES("code"), .y = "median",
		.y_axis = LINEAR("ns per instruction"), .marks = "l1i_bytes",
		.says = "an op cache of {op_cache_ops} ops|L1I has {l1i_bytes} of code|"
			"{fetch_l2_bytes_per_cycle} come from L2" },
	{ "ways", "ways", "same-set,same-pages,same-index", "Associativity of L1",
		"A chase over so many lines of one set.", CURVE, .x = "ways",
		.x_axis = WHOLE("lines"), .y = "median", .y_axis = LOG("ns per load"),
		.marks = "l1d_ways", .says = "L1 has {l1d_ways} ways" },
	{ "branch", "branch", "period", "Random branches remembered",
		"The same random branches again and again: where the predictor forgets them.",
		CURVE, .x = "elements", .x_axis = COUNT("branches"), .y = "median",
		.y_axis = LINEAR("ns per branch"), .marks = "predictor_branches",
		.says = "all of up to {predictor_perfect} random branches are predicted|"
			"half or more of up to {predictor_branches} random branches are "
			"predicted" },
	{ "branch-states", "branch", "states-sorted,states-random", "State machine",
		"The same states in order and in random order.", CURVE, .x = "elements",
		.x_axis = COUNT("elements"), .y = "median", .y_axis = LINEAR("ns per element") },
	{ "branch-learn", "branch", "learn", "Learning a random pattern",
		"Cost of a branch by how often the pattern was walked.", CURVE, .x = "pass",
		.x_axis = WHOLE("pass"), .y = "median", .y_axis = LINEAR("ns per branch"),
		.split = "elements", .marks = "learning_passes",
		.says = "passes until 2000 random branches are learnt: {learning_passes}" },
	{ "branch-targets", "branch", "targets", "Branch targets",
		"A chain of so many taken jumps, by their distance.", CURVE, .x = "targets",
		.x_axis = COUNT("jumps"), .y = "median", .y_axis = LOG("ns per jump"),
		.split = "stride_bytes", .marks = "branch_targets",
		.says = "{branch_targets} jumps are remembered" },
	{ "branch-returns", "branch", "return-stack", "Return stack",
		"Calls nested so deep: one more than the stack holds adds mispredictions.", CURVE,
		.x = "depth", .x_axis = WHOLE("calls deep"), .y = "median",
		.y_axis = LINEAR("ns per call"), .marks = "return_stack",
		.says = "the return stack holds {return_stack} calls" },
	{ "ilp", "ilp", "add,multiply", "Independent chains of arithmetic",
		"Time per operation with so many chains at once.", CURVE, .x = "lanes",
		.x_axis = COUNT("chains"), .y = "median", .y_axis = LOG("ns per operation") },
	{ "matmul", "matmul", "ijk,ikj", "Matrix product by the order of loops",
		"Time per multiply-add of n x n numbers.", CURVE, .x = "n", .x_axis = COUNT("n"),
		.y = "median", .y_axis = LOG("ns per multiply-add") },
	{ "cores", "cores", "read,copy,write", "Bandwidth of several CPUs",
		"So many CPUs together, each in its own part of the memory.", CURVE, .x = "cpus",
		.x_axis = COUNT("CPUs"), .y = "median", .y_axis = LINEAR("GB/s"),
		.says = "all CPUs read {memory_read_gbs} GB/s" },
	{ "cores-loaded", "cores", "loaded-latency", "Latency under load",
		"One chase while other CPUs move so many bytes.", CURVE, .x = "more.load_gbs",
		.x_axis = LINEAR("GB/s moved by others"), .y = "median",
		.y_axis = LINEAR("ns per load"), .split = "cpus" },
	{ "cores-bounce", "cores", "bounce", "Core to core",
		"A line handed from CPU to CPU: one hop. It lies on the node of the lower number.",
		MATRIX, .x = "cpu_a", .y = "cpu_b", .x_axis = WHOLE("CPU"),
		.y_axis = LOG("ns per hop") },
	{ "cores-node-latency", "cores", "node-latency", "Latency from node to node",
		"A CPU of one node in memory of another.", MATRIX, .x = "cpu_node",
		.y = "memory_node", .x_axis = WHOLE("node"), .y_axis = LOG("ns per load") },
	{ "cores-node-read", "cores", "node-read", "Bandwidth from node to node",
		"What one CPU of a node reads from memory of another.", MATRIX, .x = "cpu_node",
		.y = "memory_node", .x_axis = WHOLE("node"), .y_axis = LOG("GB/s") },
	{ "cores-node-read-all", "cores", "node-read-all", "Bandwidth from node to node, all CPUs",
		"What all CPUs of a node together read from memory of another.", MATRIX,
		.x = "cpu_node", .y = "memory_node", .x_axis = WHOLE("node"),
		.y_axis = LOG("GB/s") },
	{ "cores-clock", "cores", "cpu-clock", "Clock of each CPU", "Each alone.", CURVE,
		.x = "cpu", .x_axis = WHOLE("CPU"), .y = "median", .y_axis = LINEAR("GHz"),
		.form = FORM_LARGE_POINTS, .band = true },
	{ "clock", "clock", "", "Core clock during the run",
		"Around the samples of every row of every probe; large: rows of 512-bit vectors.",
		picture_clock, .x = "at_seconds", .x_axis = LINEAR("seconds since the start"),
		.y = "core_hz", .y_axis = GHZ("GHz"), .says = "the core clock is {core_clock_hz}" },
};

const size_t pictures_count = sizeof pictures / sizeof *pictures;

/* Returns true if the picture shows a row of that variant, which its list names. */
static bool shows(const struct picture *picture, const struct subjects *subjects,
	const char *variant)
{
	for (size_t i = 0; i < subjects->n; i++) {
		const struct shown_run *run = subjects->list[i].run;
		const struct picture_rows rows = picture_rows_of(picture, run);

		for (size_t j = 0; j < run->nrows; j++)
			if (!strcmp(run->rows[j].variant, variant) &&
				picture_takes(&rows, &run->rows[j]))
				return true;
	}
	return false;
}

/* Returns true if a picture of its own shows rows of that variant in these runs. */
static bool picture_shows(const struct subjects *subjects, const char *probe, const char *variant)
{
	for (size_t i = 0; i < pictures_count; i++)
		if (!strcmp(pictures[i].probe, probe) && *pictures[i].variants &&
			names_have(pictures[i].variants, variant) &&
			shows(&pictures[i], subjects, variant))
			return true;
	return false;
}

struct drawing picture_drawing(const struct picture *picture, const struct subjects *subjects)
{
	struct drawing drawing = { .kind = DRAW_NOTHING };

	picture->make(picture, subjects, &drawing);
	return drawing;
}

const struct picture *picture_find(const char *name)
{
	for (size_t i = 0; i < pictures_count; i++)
		if (!strcmp(pictures[i].name, name))
			return &pictures[i];
	for (size_t i = 0; i < pictures_count; i++)
		if (!strcmp(pictures[i].probe, name))
			return &pictures[i];
	return NULL;
}

/* The rows of a probe that no picture shows: side by side, one picture for each unit. */

#define LINES_MOST    40 /* of a picture; the page's table has all rows */
#define VARIANTS_MOST 64 /* of a probe; for more, the answer is computed for each row anew */

struct other_rows {
	const char *probe, *unit;
	const struct subjects *subjects;
	struct {
		const char *name;
		bool shown; /* in a picture of its own */
	} variants[VARIANTS_MOST];
	size_t nvariants;
	char **lines;
	size_t nlines;
	struct dot *dots;
	size_t ndots, left_out, noise;
	struct axis axis;
};

static bool is_shown(struct other_rows *o, const char *variant)
{
	bool shown;

	for (size_t i = 0; i < o->nvariants; i++)
		if (!strcmp(o->variants[i].name, variant))
			return o->variants[i].shown;
	shown = picture_shows(o->subjects, o->probe, variant);
	if (o->nvariants < VARIANTS_MOST) {
		o->variants[o->nvariants].name = variant;
		o->variants[o->nvariants++].shown = shown;
	}
	return shown;
}

/* Returns true if no other picture has the row; noise: it is, or is not, noise. */
static bool is_other(struct other_rows *o, const struct result_row *row, bool noise)
{
	return !strcmp(row->probe, o->probe) && math_finite(row->numbers[ROW_median]) &&
		row_is_noise(row) == noise && !(result_parameter(row, "again") > 0) &&
		!is_shown(o, row->variant);
}

/* The n-th unit that such rows have, in the order of the rows; NULL: there are fewer. */
static const char *unit_of(struct other_rows *o, size_t n)
{
	const char *units[16];
	size_t found = 0;

	for (size_t i = 0; i < o->subjects->n; i++)
		for (size_t j = 0; j < o->subjects->list[i].run->nrows; j++) {
			const struct result_row *row = &o->subjects->list[i].run->rows[j];
			size_t k = 0;

			while (k < found && strcmp(units[k], row->unit))
				k++;
			if (!is_other(o, row, false) || k < found)
				continue;
			if (found == n)
				return row->unit;
			if (found < sizeof units / sizeof *units)
				units[found++] = row->unit;
		}
	return NULL;
}

/*
 * The number of the row's line; its label lacks the probe, which heads the picture. LINES_MOST:
 * full.
 */
static size_t line_of(struct other_rows *o, const struct result_row *row)
{
	char text[ROW_LABEL];
	size_t i = 0;

	row_label(row, true, text);
	while (i < o->nlines && strcmp(o->lines[i], text))
		i++;
	if (i == o->nlines && i < LINES_MOST)
		*(char **)page_grow((void **)&o->lines, &o->nlines, sizeof(char *)) =
			page_text(text);
	return i;
}

static void add_row(struct other_rows *o, const struct subject *subject, size_t at)
{
	const struct result_row *row = &subject->run->rows[at];
	size_t line = line_of(o, row);

	if (line == LINES_MOST) {
		o->left_out++;
		return;
	}
	*(struct dot *)page_grow((void **)&o->dots, &o->ndots, sizeof(struct dot)) =
		(struct dot){ .line = (unsigned)line,
			.at = { row->numbers[ROW_median], 0, row->numbers[ROW_min],
				row->numbers[ROW_p90], (long)at, NULL },
			.colour = subject->colour,
			.run = subject->index };
}

/* Choose the axis: logarithmic if values span several powers of ten and all are above 0. */
static void choose_axis(struct other_rows *o)
{
	double least = __builtin_inf(), most = -least;

	for (size_t i = 0; i < o->ndots; i++) {
		least = math_min(least, o->dots[i].at.x);
		most = math_max(most, o->dots[i].at.x);
	}
	o->axis = axis_empty(least > 0 && most / least > 20 ? AXIS_LOG : AXIS_LINEAR, o->unit);
	for (size_t i = 0; i < o->ndots; i++) {
		axis_cover(&o->axis, o->dots[i].at.x);
		axis_cover(&o->axis, math_min(o->dots[i].at.high, 2 * most));
	}
	if (o->axis.kind == AXIS_LINEAR)
		axis_cover(&o->axis, 0);
}

/* The place of the word in the line, after a blank; NULL: not there. */
static char *find_word(char *line, const char *word, size_t n)
{
	for (char *at = strchr(line, ' '); at; at = strchr(at + 1, ' '))
		if (strlen(at) > n && !memcmp(at + 1, word, n) && (at[n + 1] == ' ' || !at[n + 1]))
			return at;
	return NULL;
}

static bool all_have(const struct other_rows *o, const char *word, size_t n)
{
	for (size_t i = 0; i < o->nlines; i++)
		if (!find_word(o->lines[i], word, n))
			return false;
	return true;
}

static void cut_word(struct other_rows *o, const char *word, size_t n)
{
	for (size_t i = 0; n && i < o->nlines; i++) {
		char *at = find_word(o->lines[i], word, n);
		memmove(at, at + n + 1, strlen(at + n + 1) + 1);
	}
}

/* Cut words that are in all lines, such as "2M-pages": they say nothing. */
static void cut_common_words(struct other_rows *o)
{
	char *first = o->nlines > 1 ? page_text(o->lines[0]) : NULL;

	for (char *word = first, *end; word && *word; word = end) {
		for (end = word; *end && *end != ' '; end++)
			;
		if (all_have(o, word, (size_t)(end - word)))
			cut_word(o, word, (size_t)(end - word));
		end += *end == ' ';
	}
	page_free(first);
}

static void collect(struct other_rows *o)
{
	for (size_t i = 0; i < o->subjects->n; i++)
		for (size_t j = 0; j < o->subjects->list[i].run->nrows; j++) {
			const struct result_row *row = &o->subjects->list[i].run->rows[j];
			if (strcmp(row->unit, o->unit))
				continue;
			if (is_other(o, row, false))
				add_row(o, &o->subjects->list[i], j);
			else
				o->noise += is_other(o, row, true);
		}
}

bool picture_others(const char *probe, size_t n, const struct subjects *subjects,
	struct drawing *drawing)
{
	struct other_rows o = { .probe = probe, .subjects = subjects };

	o.unit = unit_of(&o, n);
	if (!o.unit)
		return false;
	collect(&o);
	choose_axis(&o);
	cut_common_words(&o);
	*drawing = (struct drawing){ .kind = DRAW_DOTS,
		.dots = { probe, subjects->note, o.axis, (const char *const *)o.lines, o.nlines,
			o.dots, o.ndots, subjects->n == 1 },
		.left_out = o.left_out,
		.noise = o.noise };
	if (!axis_ready(&drawing->dots.axis))
		drawing_free(drawing);
	return drawing->kind == DRAW_DOTS;
}

/* Values for pairs of CPUs or nodes, of one run. */

#define PLACES_MOST 1024 /* most CPUs or nodes of a matrix */

static void add_cell(struct matrix *matrix, double row, double column, double value, size_t id)
{
	struct matrix_cell **cells = (struct matrix_cell **)&matrix->cells, *cell;

	if (!(row >= 0 && row < PLACES_MOST && column >= 0 && column < PLACES_MOST) ||
		math_is_nan(value))
		return;
	cell = page_grow((void **)cells, &matrix->ncells, sizeof *cell);
	*cell = (struct matrix_cell){ (unsigned)row, (unsigned)column, value, (long)id };
	matrix->n = math_max(matrix->n, row + 1);
	matrix->m = math_max(matrix->m, column + 1);
	axis_cover(&matrix->shade, value);
}

/* Returns true if a pair of CPUs has two cells: a line goes back as it came. */
static bool both_ways(const struct picture *picture)
{
	return !strcmp(picture->x, "cpu_a");
}

static void add_cells(struct matrix *matrix, const struct picture *picture,
	const struct shown_run *run)
{
	for (size_t i = 0; i < run->nrows; i++) {
		const struct result_row *row = &run->rows[i];
		double a, b;

		if (strcmp(row->probe, picture->probe) || strcmp(row->variant, picture->variants))
			continue;
		a = result_parameter(row, picture->x);
		b = result_parameter(row, picture->y);
		add_cell(matrix, a, b, row->numbers[ROW_median], i);
		if (both_ways(picture))
			add_cell(matrix, b, a, row->numbers[ROW_median], i);
	}
}

/* Numbers of the parts that a CPU is in, by enum matrix_part; last its own number. */
struct cpu_place {
	unsigned in[PARTS + 1];
};

#define ID_MOST 4e9 /* a larger number of a part is not valid */

static int part_that_differs(const struct cpu_place *a, const struct cpu_place *b)
{
	int part = 0;

	while (part < PARTS && a->in[part] == b->in[part])
		part++;
	return part;
}

static int by_parts(const void *a, const void *b)
{
	const struct cpu_place *x = a, *y = b;
	int part = part_that_differs(x, y);

	return x->in[part] < y->in[part] ? -1 : 1;
}

/* Read the CPUs of the run line's topology. Returns false unless it has the first n. */
static bool read_cpus(struct line head, struct cpu_place *cpus, unsigned n)
{
	static const char *const keys[] = { "package", "node", "l3", "core", "thread" };
	struct member topology, cpu;
	unsigned i = 0;

	if (!line_find(head, KEY_TOPOLOGY, &topology))
		return false;
	const char *at = topology.value, *end = at + topology.value_bytes;
	for (; i < n && element_next(&at, end, &cpu); i++) {
		cpus[i].in[PARTS] = i;
		for (unsigned part = 0; part < PARTS; part++) {
			double in = line_number((struct line){ cpu.value, cpu.value_bytes },
				keys[part]);
			cpus[i].in[part] = in > 0 && in < ID_MOST ? (unsigned)in : 0;
		}
	}
	return i == n;
}

/* Put CPUs of a part next to each other, whatever their numbers. */
static void group_cpus(struct matrix *matrix, struct line head)
{
	struct cpu_place *cpus = page_new(matrix->n, sizeof *cpus);
	struct matrix_place *places = page_new(matrix->n, sizeof *places);
	unsigned *at = page_new(matrix->n, sizeof *at); /* of a CPU */

	if (read_cpus(head, cpus, matrix->n)) {
		page_sort(cpus, matrix->n, sizeof *cpus, by_parts);
		for (unsigned i = 0; i < matrix->n; i++) {
			unsigned number = cpus[i].in[PARTS];
			places[i].number = number;
			places[i].part = part_that_differs(&cpus[i], &cpus[i ? i - 1 : 0]);
			at[number] = i;
		}
		for (size_t i = 0; i < matrix->ncells; i++) {
			struct matrix_cell *cell = (struct matrix_cell *)&matrix->cells[i];
			cell->row = at[cell->row];
			cell->column = at[cell->column];
		}
		matrix->places = places;
	} else {
		page_free(places);
	}
	page_free(cpus);
	page_free(at);
}

static void picture_matrix(const struct picture *picture, const struct subjects *subjects,
	struct drawing *drawing)
{
	const struct subject *subject = &subjects->list[0];
	bool cpus = both_ways(picture);
	struct matrix matrix = { .title = picture->title,
		.note = subjects->note,
		.rows = cpus ? "CPU" : "CPU of node",
		.columns = cpus ? "CPU" : "memory of node",
		.shade = axis_empty(AXIS_LOG, picture->y_axis.name),
		.colour = subject->colour,
		.run = subject->index };

	add_cells(&matrix, picture, subject->run);
	if (!matrix.ncells || !math_finite(matrix.shade.low)) {
		page_free(matrix.cells);
		return;
	}
	if (!(matrix.shade.high > matrix.shade.low))
		matrix.shade.low /= 2; /* one value only: use the strongest shade */
	if (cpus)
		group_cpus(&matrix, subject->run->head);
	*drawing = (struct drawing){ .kind = DRAW_MATRIX, .matrix = matrix };
}
