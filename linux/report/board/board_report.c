/* SPDX-License-Identifier: MIT */
#include "linux/report/board/board_report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/result_keys.h"
#include "lib/text.h"
#include "linux/report/wrap.h"

/* Lengths that firmware must not exceed, in us; STOP_LIMIT has their sources. */
#define FIRMWARE_US  150
#define REAL_TIME_US 10

#define NAMED_CPUS 4 /* most CPUs named in one finding */

#define WARP_LIMIT                                                                                 \
	"no step back: a time stamp that is older than one that another CPU took before it makes " \
	"Linux give up the TSC as its clock (\"TSC warp between CPUs, turning off TSC clock\"; "   \
	"check_tsc_warp, arch/x86/kernel/tsc_sync.c)."
#define DRIFT_LIMIT                                                                                \
	"none: 1 ppm is 1 us more in each second, until time stamps go back (see the offsets). "   \
	"Linux compares the counters of CPUs when it starts them (arch/x86/kernel/tsc_sync.c)."
#define ADJUST_LIMIT                                                                               \
	"one value in a package, and 0 on the CPU that boots: Linux calls all else a firmware "    \
	"bug (\"[Firmware Bug]: TSC ADJUST differs within socket(s)\", \"TSC ADJUST: CPU0: ... "   \
	"force to 0\"; tsc_store_and_check_tsc_adjust, tsc_sanitize_first_cpu, "                   \
	"arch/x86/kernel/tsc_sync.c)."
#define STOP_LIMIT                                                                                 \
	"150 us, \"to minimize risk of OS timeouts\" (Intel, BIOS Implementation Test Suite, "     \
	"python/smilatency.py). For real-time use 10 us, above which hwlatdetect reports a gap "   \
	"(RHEL for Real Time, \"Running and interpreting hardware and firmware latency tests\"; "  \
	"Linux, kernel/trace/trace_hwlat.c)."

/* NOTHING_SEEN: what was found states the bound within which nothing can be seen. */
enum board_verdict {
	ABOVE,
	ABOVE_REAL_TIME,
	WITHIN,
	NOTHING_SEEN,
	NOT_KNOWN,
	NOT_MEASURED_HERE,
	VERDICTS
};

static const char *const verdict_words[VERDICTS] = { "ABOVE THE LIMIT",
	"above the limit for real-time use", "within the limits",
	"nothing seen, to the bound stated", "not known", "not measured" };

/* The text of the findings, and their subjects by verdict: ", SMIs, gaps". */
struct board_text {
	const struct run_data *run;
	FILE *body;
	char subjects[VERDICTS][200];
};

/* Write a finding: its subject, its verdict, what was found (then freed), and the limit. */
static void finding(struct board_text *b, const char *subject, enum board_verdict verdict,
	char *found, const char *limit)
{
	size_t used = strlen(b->subjects[verdict]);

	text_format(b->subjects[verdict] + used, sizeof b->subjects[verdict] - used, ", %s",
		subject);
	if (verdict != NOT_MEASURED_HERE) {
		fprintf(b->body, "\n### %s: %s\n\n", subject, verdict_words[verdict]);
		print_wrapped(b->body, "- Found: ", found);
		print_wrapped(b->body, "- Limit: ", limit);
	}
	free(found);
}

static double more(const struct row_data *row, const char *key)
{
	return number_of(row ? json_object_get(row->json, KEY_MORE) : NULL, key);
}

static const struct row_data *row_of(const struct run_data *run, const char *probe,
	const char *variant)
{
	for (size_t i = 0; i < run->nrows; i++)
		if (!strcmp(run->rows[i].probe, probe) && !strcmp(run->rows[i].variant, variant))
			return &run->rows[i];
	return NULL;
}

static double value_number(const struct run_data *run, enum value_id id, const char *key)
{
	return number_of(run_summary(run, id), key);
}

/* Write a time with its unit: "612 us". */
static void put_time(FILE *out, double ns)
{
	fprintf(out, "%.4g %s",
		ns < 1e3           ? ns
			: ns < 1e6 ? ns / 1e3
			: ns < 1e9 ? ns / 1e6
				   : ns / 1e9,
		ns < 1e3           ? "ns"
			: ns < 1e6 ? "us"
			: ns < 1e9 ? "ms"
				   : "s");
}

static bool in_linux(const struct run_data *run)
{
	return json_object_get(run->head, KEY_OS) != NULL;
}

/* --- the time stamp counters --- */

/* A row of skew by CPU: the ends of its bracket, and how it is said. */
struct skew_kind {
	const char *variant, *low, *high, *unit, *more, *less;
};

/* The rows of a kind: how many, how many exclude 0, how far from 0 the widest bound is. */
struct skew_found {
	size_t rows, beyond;
	double most;
};

static void put_amount(FILE *out, double amount, const char *unit)
{
	if (!strcmp(unit, "ns"))
		put_time(out, amount);
	else
		fprintf(out, "%.4g %s", amount, unit);
}

static void name_cpu(FILE *out, const struct run_data *run, const struct row_data *row,
	const struct skew_kind *kind)
{
	double cpu = row_parameter(row->json, "cpu");
	double low = fabs(more(row, kind->low)), high = fabs(more(row, kind->high));
	const json_t *places = json_object_get(run->head, KEY_TOPOLOGY);
	const json_t *place = cpu >= 0 && cpu < 1e6 ? json_array_get(places, (size_t)cpu) : NULL;

	fprintf(out, "; CPU %.0f", cpu);
	if (place)
		fprintf(out, " (%s %.0f, package %.0f)", in_linux(run) ? "Linux's" : "APIC id",
			number_or(place, "id", 0), number_or(place, "package", 0));
	fputs(" is ", out);
	put_amount(out, fabs(row->median), kind->unit);
	fprintf(out, " %s (", row->median > 0 ? kind->more : kind->less);
	put_amount(out, fmin(low, high), kind->unit);
	fputs(" to ", out);
	put_amount(out, fmax(low, high), kind->unit);
	fputc(')', out);
}

static struct skew_found skew_rows(FILE *named, const struct run_data *run,
	const struct skew_kind *kind)
{
	struct skew_found found = { .most = 0 };

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *row = &run->rows[i];
		double low = more(row, kind->low), high = more(row, kind->high);
		if (strcmp(row->probe, "skew") || strcmp(row->variant, kind->variant) ||
			isnan(low - high))
			continue;
		found.rows++;
		found.most = fmax(found.most, fmax(fabs(low), fabs(high)));
		if ((low > 0 || high < 0) && ++found.beyond <= NAMED_CPUS)
			name_cpu(named, run, row, kind);
	}
	if (found.beyond > NAMED_CPUS)
		fprintf(named, "; and %zu more", found.beyond - NAMED_CPUS);
	return found;
}

static void find_skew(struct board_text *b, const char *subject, const struct skew_kind *kind,
	const char *limit)
{
	char *named, *text;
	size_t bytes;
	FILE *out = text_stream(&named, &bytes);
	struct skew_found found = skew_rows(out, b->run, kind);

	fclose(out);
	out = text_stream(&text, &bytes);
	if (found.beyond) {
		fprintf(out, "%zu of %zu CPUs differ from CPU 0 for certain%s.", found.beyond,
			found.rows, named);
	} else {
		fprintf(out,
			"no difference was seen between CPU 0 and %zu other%s; there may be "
			"one of ",
			found.rows, found.rows == 1 ? "" : "s");
		put_amount(out, found.most, kind->unit);
		fputs(" at most.", out);
	}
	fclose(out);
	free(named);
	finding(b, subject,
		found.beyond         ? ABOVE
			: found.rows ? NOTHING_SEEN
				     : NOT_MEASURED_HERE,
		text, limit);
}

static bool one_package(const struct run_data *run)
{
	const json_t *places = json_object_get(run->head, KEY_TOPOLOGY), *place;
	size_t i;

	json_array_foreach(places, i, place)
		if (number_of(place, "package") != number_of(json_array_get(places, 0), "package"))
			return false;
	return i > 0;
}

static void find_adjust(struct board_text *b)
{
	const struct row_data *row = row_of(b->run, "skew", "adjust");
	double least = more(row, "least_ticks"), most = more(row, "most_ticks");
	enum board_verdict verdict = isnan(least - most) ? NOT_MEASURED_HERE
		: least == 0 && most == 0                ? WITHIN
		: least == most || one_package(b->run)   ? ABOVE
							 : NOT_KNOWN;
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	if (least == most)
		fprintf(out, "%.0f ticks", least);
	else
		fprintf(out, "from %.0f to %.0f ticks", least, most);
	if (verdict != NOT_MEASURED_HERE)
		fprintf(out, " on %.0f CPUs", row_parameter(row->json, "cpus"));
	fputs(verdict == NOT_KNOWN ? "; which of them are in one package was not kept." : ".", out);
	fclose(out);
	finding(b, "TSC_ADJUST (MSR 3Bh)", verdict, text, ADJUST_LIMIT);
}

/* --- what takes the CPUs away --- */

static enum board_verdict verdict_of(double longest_ns)
{
	return isnan(longest_ns)                  ? NOT_KNOWN
		: longest_ns > FIRMWARE_US * 1e3  ? ABOVE
		: longest_ns > REAL_TIME_US * 1e3 ? ABOVE_REAL_TIME
						  : WITHIN;
}

/* Write the values of some stops: how often, how long, how far apart. */
static void put_stops(FILE *out, const struct run_data *run, enum value_id rate,
	enum value_id length, enum value_id period)
{
	double every = value_number(run, period, KEY_VALUE);

	fprintf(out, "%.3g a second (%.3g to %.3g)", value_number(run, rate, KEY_VALUE),
		value_number(run, rate, KEY_LOW), value_number(run, rate, KEY_HIGH));
	if (!isnan(value_number(run, length, KEY_VALUE))) {
		fputs(", half of them take ", out);
		put_time(out, value_number(run, length, KEY_VALUE));
		fputs(" or less", out);
	}
	if (!isnan(every)) {
		fputs(", one every ", out);
		put_time(out, every);
	} else if (strstr(text_of(run_summary(run, period), KEY_REASON), "irregular")) {
		fputs(", at irregular times", out);
	}
}

static void put_longest(FILE *out, double longest_ns)
{
	if (!isnan(longest_ns)) {
		fputs(". The longest of any took ", out);
		put_time(out, longest_ns);
	}
	fputs(".", out);
}

/* SMIs that were counted: none, or how often, how long, how far apart. */
static enum board_verdict put_smis(FILE *out, const struct run_data *run, double smis,
	double seconds)
{
	double longest = value_number(run, VALUE_smi_longest_ns, KEY_VALUE);
	double ppm = value_number(run, VALUE_smi_stolen_ppm, KEY_VALUE);

	if (smis == 0) {
		fprintf(out, "none in %.3g s; fewer than %.2g a second.", seconds,
			value_number(run, VALUE_smis_per_second, KEY_HIGH));
		return NOTHING_SEEN;
	}
	fprintf(out, "%.0f in %.3g s: ", smis, seconds);
	put_stops(out, run, VALUE_smis_per_second, VALUE_smi_length_ns, VALUE_smi_period_ns);
	if (!isnan(ppm))
		fprintf(out, "; together they take %.*f ppm of the time", ppm < 10 ? 2 : 0, ppm);
	put_longest(out, longest);
	return verdict_of(longest);
}

/* Gaps that all CPUs had at once, where nothing counts SMIs. */
static enum board_verdict put_common(FILE *out, const struct run_data *run, double seconds)
{
	double longest = more(row_of(run, "smm", "common-length"), "longest_ns");
	double rate = value_number(run, VALUE_common_gaps_per_second, KEY_VALUE);

	fputs("SMIs are not counted on this machine", out);
	if (isnan(rate)) {
		fputs(".", out);
		return NOT_KNOWN;
	}
	fprintf(out,
		". Gaps that all CPUs had at once, as an SMI makes them, in %.3g s: ", seconds);
	put_stops(out, run, VALUE_common_gaps_per_second, VALUE_common_gap_ns,
		VALUE_common_gap_period_ns);
	put_longest(out, longest);
	return rate == 0 ? NOTHING_SEEN : verdict_of(longest);
}

static void find_smis(struct board_text *b)
{
	const struct row_data *watch = row_of(b->run, "smm", "watch");
	double smis = more(watch, "smis"), seconds = more(watch, "observed_seconds");
	enum board_verdict verdict = NOT_MEASURED_HERE;
	char *text;
	size_t bytes;
	FILE *found = text_stream(&text, &bytes);

	if (!isnan(seconds))
		verdict = isnan(smis) ? put_common(found, b->run, seconds)
				      : put_smis(found, b->run, smis, seconds);
	fclose(found);
	finding(b, "SMIs (system management interrupts)", verdict, text, STOP_LIMIT);
}

/* Returns true if an SMI was counted in the slice of the row's longest gap. */
static bool smi_in_longest(const struct row_data *row)
{
	const json_t *events = json_object_get(json_object_get(row->json, KEY_MORE), "events");
	const json_t *event, *longest = NULL;
	size_t i;

	json_array_foreach(events, i, event)
		if (!longest ||
			json_number_value(json_array_get(event, 1)) >
				json_number_value(json_array_get(longest, 1)))
			longest = event;
	return fmod(json_number_value(json_array_get(longest, 2)), 2) ==
		1; /* bit 1 of the causes */
}

/* The row of noise with the longest gap; NULL: it was not measured. */
static const struct row_data *longest_gap(const struct run_data *run)
{
	const struct row_data *longest = NULL;

	for (size_t i = 0; i < run->nrows; i++) {
		const struct row_data *row = &run->rows[i];
		if (!strcmp(row->probe, "noise") && !isnan(more(row, "longest_ns")) &&
			!(more(row, "longest_ns") <= more(longest, "longest_ns")))
			longest = row;
	}
	return longest;
}

/* The counts by length are not known where more gaps came than could be recorded. */
static void put_gap_counts(FILE *out, const struct run_data *run, const struct row_data *longest)
{
	double above = value_number(run, value_by_name("noise_gaps_above_10us"), KEY_VALUE);
	const struct row_data *alone = row_of(run, "noise", "gaps");

	if (isnan(above))
		fprintf(out, "%.0f in %.3g s",
			number_or(json_object_get(longest->json, KEY_MORE), "gaps", 1),
			more(longest, "observed_seconds"));
	else
		fprintf(out, "%.0f above 10 us and %.0f above 150 us in %.3g s on one CPU", above,
			value_number(run, value_by_name("noise_gaps_above_150us"), KEY_VALUE),
			more(alone, "observed_seconds"));
}

static void find_gaps(struct board_text *b)
{
	const struct row_data *longest = longest_gap(b->run);
	double longest_ns = more(longest, "longest_ns");
	enum board_verdict verdict = longest ? verdict_of(longest_ns) : NOT_MEASURED_HERE;
	char *text;
	size_t bytes;
	FILE *out = text_stream(&text, &bytes);

	if (longest && in_linux(b->run)) {
		verdict = NOT_KNOWN;
		fputs("Linux takes the CPU away itself: only the image can tell.", out);
	} else if (longest_ns > 0) {
		put_gap_counts(out, b->run, longest);
		put_longest(out, longest_ns);
		if (smi_in_longest(longest))
			fputs(" An SMI was counted in the same slice of the scan.", out);
	} else if (longest) {
		verdict = NOTHING_SEEN;
		fputs("none above ", out);
		put_time(out, more(longest, "threshold_ns"));
		fprintf(out, " in %.3g s.", more(longest, "observed_seconds"));
	}
	fclose(out);
	finding(b, "gaps (a CPU executes nothing)", verdict, text, STOP_LIMIT);
}

/* --- the whole --- */

static void put_member(FILE *out, const char *before, const json_t *object, const char *key,
	const char *after)
{
	const char *text = text_of(object, key);

	if (*text)
		fprintf(out, "%s%s%s", before, text, after);
}

static void put_machine(FILE *out, const struct run_data *run)
{
	static const char *const numbers[] = { KEY_FAMILY, KEY_MODEL, KEY_STEPPING };
	const json_t *smbios = json_object_get(run->head, KEY_SMBIOS);
	const json_t *cpu = json_object_get(run->head, KEY_CPU);
	double microcode = number_of(cpu, "microcode");

	put_member(out, "- System: ", smbios, "system", "\n");
	put_member(out, "- Board: ", smbios, KEY_BOARD, "\n");
	fputs("- Firmware:", out);
	put_member(out, " ", smbios, "firmware_vendor", "");
	put_member(out, " ", smbios, "firmware_version", "");
	put_member(out, ", of ", smbios, "firmware_date", "");
	fputs(*text_of(smbios, "firmware_version") ? "\n" : " its version is not known\n", out);
	fprintf(out, "- Processor: %s", text_of(cpu, KEY_BRAND));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!isnan(number_of(cpu, numbers[i])))
			fprintf(out, ", %s %.0f", numbers[i], number_of(cpu, numbers[i]));
	if (microcode > 0 && microcode <= UINT32_MAX)
		fprintf(out, ", microcode %#x", (unsigned)microcode);
	fprintf(out, "; CPUs: %.0f\n", number_or(run->head, KEY_CPUS, 0));
}

static void put_way(FILE *out, const struct run_data *run)
{
	const char *utc = text_of(run->head, KEY_TIME_UTC);
	char plan[PLAN_TEXT];

	run_plan_text(run->head, plan);
	fprintf(out, "- Measured: by anechoic %s, room %s (%s), %s", text_of(run->head, KEY_BUILD),
		run->room,
		json_object_get(run->head, KEY_KNOWN_ANSWER) ? "SIMULATED: the times are a model's"
			: in_linux(run)
			? "under Linux, which corrects some of what the firmware left"
			: !strcmp(run->room, "firmware")
			? "while UEFI's boot services run, interrupts off"
			: "without an operating system, interrupts off",
		plan);
	if (strlen(utc) == 16)
		fprintf(out, ", %.4s-%.2s-%.2s", utc, utc + 4, utc + 6);
	fprintf(out, ", %.0f s%s\n", number_or(run->end, KEY_SECONDS, 0),
		run->end ? "" : ", and it was cut");
	put_member(out, "- Doubt: it may be ", run->head, KEY_MAY_BE, "\n");
}

static void put_again(FILE *out)
{
	fputs("\n### To see it again\n\n", out);
	print_wrapped(out, "- ",
		"Start anechoic's image from a stick, with these lines in `anechoic.cfg`: `rooms = "
		"bare`, `probes = skew,smm,noise`, `noise_seconds = 120`.");
	print_wrapped(out, "- ",
		"Other witnesses, under Linux: `hwlatdetect --duration=120` (rt-tests) reports "
		"gaps "
		"above 10 us; `dmesg | grep -i tsc` has Linux's own findings.");
}

/* Write the subjects by verdict, and the findings. */
static void put_findings(FILE *out, const struct run_data *run)
{
	static const struct skew_kind offset = { "offset", "low_ns", "high_ns", "ns", "ahead",
		"behind" };
	static const struct skew_kind drift = { "drift", "low_ppm", "high_ppm", "ppm", "faster",
		"slower" };
	struct board_text b = { .run = run };
	char *body;
	size_t bytes;

	b.body = text_stream(&body, &bytes);
	find_skew(&b, "offset of the CPUs' time stamp counters", &offset, WARP_LIMIT);
	find_skew(&b, "rate of the CPUs' time stamp counters", &drift, DRIFT_LIMIT);
	find_adjust(&b);
	find_smis(&b);
	find_gaps(&b);
	fclose(b.body);
	fputc('\n', out);
	for (enum board_verdict v = 0; v < VERDICTS; v++)
		if (*b.subjects[v]) {
			char start[48];
			snprintf(start, sizeof start, "- %s: ", verdict_words[v]);
			print_wrapped(out, start, b.subjects[v] + strlen(", "));
		}
	fputs(body, out);
	free(body);
	put_again(out);
}

static bool is_of(const struct row_data *row, const char *probes)
{
	return *row->probe && strstr(probes, row->probe);
}

void board_report_print(const struct run_data *run, FILE *out)
{
	const char *hypervisor = text_of(run->head, KEY_HYPERVISOR);
	bool measured = false;

	for (size_t i = 0; i < run->nrows && !measured; i++)
		measured = is_of(&run->rows[i], "skew, smm, noise");
	if (!measured)
		return;
	fputs("\n## For the maker of the board: time stamps, SMIs, gaps\n\n", out);
	put_machine(out, run);
	put_way(out, run);
	if (json_object_get(run->head, KEY_KNOWN_ANSWER) ||
		!(*hypervisor || json_is_true(json_object_get(run->head, KEY_EMULATED))))
		put_findings(out, run);
	else
		fprintf(out, "- %s: nothing can be said of a board or its firmware.\n",
			*hypervisor ? "VIRTUAL" : "EMULATED");
}
