/* SPDX-License-Identifier: MIT */
#include "kernel/journal.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "lib/crc32.h"
#include "lib/ensure.h"
#include "lib/text.h"
#include "version.h"

#define TITLE     "anechoic state 2 (to forget it: state = clear)\n"
#define SUM_BYTES 13 /* "sum 01234567\n", the last line */
#define SUMMED    (JOURNAL_BYTES - SUM_BYTES)
#define EMPTY     (sizeof TITLE - 1 + SUM_BYTES)
#define VARIABLE  "AnechoicJournal"

#define IN_BARE   "bare" /* in the file: room bare was entered, and the variable says more */
#define EXIT      "exit" /* in the file: room bare was entered, and no variable notes steps */
#define MEASURING "measuring"
#define END       "end"
#define LEFT      "left"    /* in the variable: the file could not be written, ignore its step */
#define RUNTIME   "runtime" /* the first SetVariable after the exit, or the exit */

static struct {
	bool steps;    /* steps are noted */
	bool writable; /* the file can be written */
	bool in_file;  /* the file says that this start is in a step */
	bool no_file;  /* there is no place for the file */
	bool variables, runtime;
	bool recorded;          /* an earlier start's variable was found */
	bool in_variable;       /* steps of room bare are noted in the variable */
	bool forgets;           /* variables do not outlive a reset here */
	const char *unexpected; /* why resets_expect could not note a reset; NULL: it could */
	const char *utc;
	struct step_mark exit_unknown; /* of a start without an end: leave the exit out */
	struct journal_state file, variable;
} journal;

/* The meaning of a start's notes for the next start. */
enum end {
	GOOD,          /* nothing was left open */
	LEFT_OPEN,     /* a step was left open */
	NOT_KNOWN,     /* nothing is left out */
	EXIT_NOT_KNOWN /* and if "runtime" is left out, the exit is, once: it may hang */
};

/*
 * The first line that matches the notes decides; NULL matches all. "runtime" stands for "setvar" as
 * well: if it is left out, nothing is stored, and no variable is written after the exit.
 */
static const struct {
	const char *file, *variable;
	enum end end;
	const char *open; /* the step that was left open */
	const char *said;
} ends[] = {
	{ "", NULL, GOOD },
	{ NULL, LEFT, NOT_KNOWN, NULL, "could not note its steps: nothing is known of it" },
	{ IN_BARE, "", NOT_KNOWN, NULL, "entered room bare; its variables are lost" },
	{ IN_BARE, EXIT, LEFT_OPEN, RUNTIME },
	{ IN_BARE, MEASURING, NOT_KNOWN, NULL, "was switched off, or hung, in room bare" },
	{ IN_BARE, END, GOOD },
	{ IN_BARE, NULL, LEFT_OPEN, journal.variable.at.name },
	{ EXIT, NULL, EXIT_NOT_KNOWN, NULL, "cannot tell how it ended after the exit" },
	{ NULL, NULL, LEFT_OPEN, journal.file.at.name },
};

/* --- the text, the same in both places --- */

/* A member of the state: a number, or a text, written as "-" if it is empty. */
struct field {
	unsigned short at, bytes;
};

#define FIELD(member)                                                                              \
	{                                                                                          \
		offsetof(struct journal_state, member), sizeof((struct journal_state){ 0 }.member) \
	}
#define IS_TEXT(field) ((field)->bytes > sizeof(uint64_t))

/* A line is its word and its fields; a line whose first field is 0 or empty is not written. */
static const struct {
	const char *word;
	struct field fields[8];
} lines[] = {
	{ "machine", { FIELD(machine) } },
	{ "at", { FIELD(at.name), FIELD(at.utc) } },
	{ "entries", { FIELD(counts.entries) } },
	{ "resets", { FIELD(counts.resets) } },
	{ "ended", { FIELD(counts.ended) } },
	{ "series",
		{ FIELD(counts.series.stem), FIELD(counts.series.of), FIELD(counts.series.runs),
			FIELD(counts.series.run), FIELD(counts.series.starts),
			FIELD(counts.series.profile), FIELD(counts.series.rooms) } },
	{ "good", { FIELD(good) } },
	/*
	 * hung[0] stands for each entry. Words: left open in two starts, or ("?") once; "last": by
	 * a last note.
	 */
	{ "hung", { FIELD(hung[0].name), FIELD(hung[0].utc) } },
	{ "last", { FIELD(hung[0].name), FIELD(hung[0].utc) } },
	{ "hung?", { FIELD(hung[0].name), FIELD(hung[0].utc) } },
	{ "last?", { FIELD(hung[0].name), FIELD(hung[0].utc) } },
};

#define LINES (sizeof lines / sizeof *lines)
#define HUNG  (LINES - 4)

/* The value of a number, or the first byte of a text. */
static uint64_t value_of(const struct field *f, const char *base)
{
	uint64_t value = 0;

	memcpy(&value, base + f->at, IS_TEXT(f) ? 1 : f->bytes);
	return value;
}

static char *write_line(char *at, const char *end, unsigned line, const char *base)
{
	const struct field *f = lines[line].fields;

	if (!value_of(f, base))
		return at;
	at += text_format(at, (size_t)(end - at), "%s", lines[line].word);
	for (; f->bytes; f++)
		if (IS_TEXT(f))
			at += text_format(at, (size_t)(end - at), " %s",
				value_of(f, base) ? base + f->at : "-");
		else
			at += text_format(at, (size_t)(end - at), " %llx",
				(unsigned long long)value_of(f, base));
	*at++ = '\n';
	return at;
}

/* Returns the length: JOURNAL_BYTES for the file; EMPTY if the state says nothing. */
static size_t write_text(const struct journal_state *s, bool file, char out[JOURNAL_BYTES + 1])
{
	char *at = out + text_format(out, SUMMED, "%s", TITLE), *end = out + SUMMED;

	for (unsigned i = 0; i < HUNG; i++)
		at = write_line(at, end, i, (const char *)s);
	for (unsigned i = 0; i < s->nhung; i++)
		at = write_line(at, end, HUNG + 2 * s->hung[i].once + s->hung[i].last,
			(const char *)s + i * sizeof *s->hung);
	while (file && at < end)
		*at++ = '\n';
	at += text_format(at, SUM_BYTES + 1, "sum %08x\n", crc32_of(0, out, (size_t)(at - out)));
	return (size_t)(at - out);
}

/*
 * Read a field and return the text after it. A number or text that does not parse leaves the field
 * as it is.
 */
static const char *read_field(const struct field *f, const char *at, char *to)
{
	uint64_t value;
	size_t n = 0;

	at += *at == ' ';
	if (IS_TEXT(f)) {
		while (*at > ' ' && n + 1 < f->bytes)
			to[n++] = *at++;
		to[n] = 0;
		if (strcmp(to, "-") == 0)
			*to = 0;
	} else if (text_number(at, 16, &at, &value)) {
		memcpy(to, &value, f->bytes);
	}
	return at;
}

/* Read a line. The checksum is right, so a line of unknown kind is another program's: skip it. */
static void read_line(struct journal_state *s, const char *at)
{
	unsigned line = 0;
	size_t n, shift = 0;

	for (; line < LINES; line++) {
		n = strlen(lines[line].word);
		if (memcmp(at, lines[line].word, n) == 0 && at[n] == ' ')
			break;
	}
	if (line == LINES || (line >= HUNG && s->nhung == STEPS_HUNG))
		return;
	if (line >= HUNG) {
		s->hung[s->nhung].once = (line - HUNG) & 2;
		s->hung[s->nhung].last = (line - HUNG) & 1;
		shift = s->nhung++ * sizeof *s->hung;
	}
	at += n;
	for (const struct field *f = lines[line].fields; f->bytes; f++)
		at = read_field(f, at, (char *)s + shift + f->at);
}

/* Check the values: any program may have written them. */
static bool makes_sense(const struct run_series *s)
{
	return *s->stem && s->runs <= RUNS_MAX && s->run && s->run <= s->runs &&
		s->starts <= RUNS_MAX && s->profile <= PROFILE_FULL && s->rooms <= ROOMS_BARE;
}

/* Read n bytes. Returns NULL, or why they are no such text; *s is all zeros then. */
static const char *read_text(struct journal_state *s, const char *text, size_t n)
{
	char sum[SUM_BYTES + 1];

	memset(s, 0, sizeof *s);
	if (n < EMPTY || memcmp(text, TITLE, sizeof TITLE - 1))
		return "it is not of this version";
	const char *end = text + n - SUM_BYTES;

	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, text, n - SUM_BYTES));
	if (memcmp(end, sum, SUM_BYTES))
		return "its checksum is wrong";
	for (const char *at = text; at < end && *at != '\n'; at++) {
		read_line(s, at);
		while (*at != '\n') /* the line with the sum ends in a newline */
			at++;
	}
	if (!makes_sense(&s->counts.series))
		s->counts.series = (struct run_series){ .runs = 0 };
	return NULL;
}

/* --- the two places --- */

/*
 * Returns 0, or why the file is not written. After a failure it is not tried again: a stick that
 * cannot be written is reported a single time.
 */
static uint64_t write_file(void)
{
	char text[JOURNAL_BYTES + 1];
	uint64_t status;

	if (!journal.writable)
		return 0;
	status = firmware_storage.state_write(text, write_text(&journal.file, true, text));
	journal.writable = status == 0;
	if (!status)
		journal.in_file = journal.file.at.name[0];
	return status;
}

/*
 * Returns true if the variable was written; if counted, only if it also reads back the same. An
 * empty state deletes it.
 */
static bool write_variable(bool counted)
{
	char text[JOURNAL_BYTES + 1], back[JOURNAL_BYTES + 1];
	size_t n = write_text(&journal.variable, false, text), there = sizeof back;

	n = n == EMPTY ? 0 : n;
	uint64_t status = firmware_storage.set(VARIABLE, n ? text : NULL, n);

	if (!counted)
		return !status;
	if (firmware_storage.get(VARIABLE, back, &there))
		there = 0;
	return there == n && !memcmp(back, text, n);
}

/* Returns NULL, or why the counts are not in the file. */
static const char *count_in_file(void)
{
	write_file();
	return journal.writable ? NULL : "the starts cannot be counted in a file";
}

static const char *count_in_variable(void)
{
	return write_variable(true) ? NULL : "the firmware does not store a variable";
}

static void set_mark(struct step_mark *m, const char *name, const char *utc)
{
	text_format(m->name, sizeof m->name, "%s", name);
	text_format(m->utc, sizeof m->utc, "%s", utc);
}

static bool write_step(const char *step)
{
	set_mark(&journal.variable.at, step, "");
	return write_variable(false);
}

/*
 * Note the step that this start is in; "": none. If the file cannot be written, the variable says
 * that the file's step is void.
 */
static void note_in_file(const char *name)
{
	uint64_t status;

	set_mark(&journal.file.at, name, journal.utc);
	status = write_file();
	if (status)
		console_printf("\\anechoic.state: %s: %s\n", efi_status_text(status),
			journal.in_file && (!journal.variables || !write_step(LEFT))
				? "the next start may take a step for hung"
				: "a hang will not be known next time");
}

/*
 * Note a step in the variable. If that fails it is taken back, so that no step stays there which
 * then seems to have hung.
 */
static void note_in_variable(const char *step)
{
	if (!journal.in_variable || write_step(step))
		return;
	journal.in_variable = false;
	if (!write_step("") && firmware_storage.set(VARIABLE, NULL, 0) &&
		!firmware_storage.boot_services())
		console_printf(
			"the firmware stores no step: the next start may take this one for hung\n");
}

/* --- the notes of earlier starts --- */

/* The mark of a step that is left out; NULL: it is not. */
static const struct step_mark *find(const char *name)
{
	for (unsigned i = 0; i < journal.file.nhung && journal.steps; i++)
		if (strcmp(journal.file.hung[i].name, name) == 0 && !journal.file.hung[i].once)
			return &journal.file.hung[i];
	return NULL;
}

/*
 * Settle a start. open: the step that it left open, or NULL. Steps that were left open once before,
 * and not by this start, are forgotten.
 */
static void settle(const char *open, const char *utc, bool last)
{
	struct journal_state *f = &journal.file;
	struct step_mark mark = { .once = true, .last = last };
	bool left_out = open && find(open);
	unsigned kept = 0;

	for (unsigned i = 0; i < f->nhung; i++)
		if (!f->hung[i].once)
			f->hung[kept++] = f->hung[i];
		else if (open && strcmp(f->hung[i].name, open) == 0)
			mark.once = false;
	f->nhung = kept;
	f->good = open ? 0 : f->good + (kept > 0);
	if (open && !left_out) {
		if (kept == STEPS_HUNG)
			memmove(f->hung, f->hung + 1, --f->nhung * sizeof *f->hung);
		set_mark(&mark, open, utc);
		f->hung[f->nhung++] = mark;
	}
	for (unsigned i = 0; i < f->nhung && f->good == STEPS_GOOD; i++)
		f->hung[i].once = true;
	f->good %= STEPS_GOOD;
}

/* Conclude from its notes how the last start ended. */
static void judge(void)
{
	const struct step_mark *at = &journal.file.at;
	unsigned i = 0;

	while ((ends[i].file && strcmp(ends[i].file, at->name)) ||
		(ends[i].variable && strcmp(ends[i].variable, journal.variable.at.name)))
		i++;
	if (ends[i].said)
		console_printf("the start of %s %s\n", at->utc, ends[i].said);
	if (ends[i].end == GOOD || ends[i].end == LEFT_OPEN)
		settle(ends[i].open, at->utc, ends[i].open != at->name);
	if (ends[i].end == EXIT_NOT_KNOWN && find(RUNTIME))
		set_mark(&journal.exit_unknown, EXIT, at->utc);
	journal.file.at.name[0] = 0;
}

static void read_file(uint32_t machine)
{
	char text[JOURNAL_BYTES + 1];
	size_t n = sizeof text;
	const char *why = NULL;

	journal.writable = true;
	if (!firmware_storage.state_read(text, &n))
		why = n == JOURNAL_BYTES ? read_text(&journal.file, text, n)
					 : "it is not of this version";
	if (why && n)
		console_printf("\\anechoic.state is not used: %s\n", why);
	if (journal.file.machine != machine)
		memset(&journal.file, 0, sizeof journal.file);
	journal.file.machine = machine;
}

static void read_variable(void)
{
	char text[JOURNAL_BYTES + 1];
	size_t n = sizeof text;

	journal.recorded = journal.variables && !firmware_storage.get(VARIABLE, text, &n) &&
		!read_text(&journal.variable, text, n);
	if (!journal.recorded) { /* it was not written, or this firmware forgets variables */
		journal.variable.counts = journal.file.counts;
		journal.variable.counts.entries = 0;
	}
	/* the newest: after the exit only the variable can be set */
	journal.file.counts.series = journal.variable.counts.series;
}

static void say_open(bool once, const char *then)
{
	bool any = false, last = false;

	for (unsigned i = 0; i < journal.file.nhung; i++) {
		const struct step_mark *m = &journal.file.hung[i];

		if (m->once != once)
			continue;
		any = true;
		last |= m->last;
		console_printf(m->last ? "the last note of the start of %s is: %s\n"
				       : "the start of %s did not come back from: %s\n",
			m->utc, m->name);
	}
	if (last)
		console_printf("it hung there, was switched off, or could note no more\n");
	if (any)
		console_printf("%s\n", then);
}

/* Identifies machine and program version: one stick may serve several machines. */
static uint32_t this_program_on(const struct machine *m)
{
	uint32_t id = cpu_leaf(&this_cpu, 1).eax;

	for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; leaf++) {
		struct cpuid name = cpu_leaf(&this_cpu, leaf);

		id = crc32_of(id, &name, sizeof name);
	}
	id = crc32_of(id, m->firmware_vendor, strlen(m->firmware_vendor));
	id = crc32_of(id, &m->firmware_revision, sizeof m->firmware_revision);
	return crc32_of(id, VERSION, sizeof VERSION);
}

/* Conclude from the notes of the last start: once, before this start notes a step. */
static void conclude(bool clear)
{
	struct journal_state *f = &journal.file;

	if (clear)
		*f = (struct journal_state){ .machine = f->machine, .counts = f->counts };
	else
		judge();
	uint64_t status = write_file();

	if (status)
		console_printf("\\anechoic.state: %s: it stays as it is\n",
			efi_status_text(status));
	/*
	 * If the file cannot be written, a second hang could not be noted: leave out after the
	 * first.
	 */
	for (unsigned i = 0; i < f->nhung && !journal.writable; i++)
		f->hung[i].once = false;
}

void journal_open(const struct machine *m, const struct config *c)
{
	memset(&journal, 0, sizeof journal);
	journal.steps = c->state != STATE_OFF;
	journal.no_file = m->file_absent != NULL;
	journal.variables = m->store.usable;
	journal.runtime = m->store.usable_at_runtime && c->store != STORE_OFF;
	journal.utc = m->started_utc;
	read_file(this_program_on(m));
	read_variable();
	if (!journal.steps)
		return;
	if (journal.file.nhung || journal.file.at.name[0])
		conclude(c->state == STATE_CLEAR);
	/* If the file stays as it is, so does the variable: the two belong together. */
	if (journal.writable && journal.variable.at.name[0])
		write_step("");
	say_open(true, "that is tried again; left open once more, it is left out");
	say_open(false,
		"that is left out; to try it again: state = clear, or delete "
		"\\anechoic.state");
}

/* --- steps --- */

/* Note a step: in the file before the exit, in the variable after it. */
static void note(const char *in_file, const char *in_variable)
{
	if (!journal.steps)
		return;
	if (!firmware_storage.boot_services())
		note_in_variable(in_variable);
	else if (*in_file || journal.file.at.name[0])
		note_in_file(in_file);
}

/* Note the exit. The variable goes first: it counts only once the file says so. */
static void enter_exit(void)
{
	journal.in_variable =
		journal.writable && journal.variables && journal.runtime && !find(RUNTIME);
	note_in_variable(EXIT);
	note_in_file(journal.in_variable ? IN_BARE : EXIT);
	journal.in_variable &= journal.writable;
}

void step_enter(const char *name)
{
	ensure(strlen(name) < STEP_NAME);
	if (journal.steps && strcmp(name, EXIT) == 0)
		enter_exit();
	else
		note(name, name);
}

void step_left(void)
{
	note("", MEASURING);
}

void steps_end(void)
{
	note("", END);
}

const char *step_hung(const char *name)
{
	static char text[64];
	const struct step_mark *m = find(name);
	const char *format = "the start of %s did not come back from it";

	if (!m && strcmp(name, "setvar") == 0)
		m = find(RUNTIME);
	if (m && m->last)
		format = "it may hang: see the start of %s";
	if (!m && strcmp(name, journal.exit_unknown.name) == 0) {
		m = &journal.exit_unknown;
		format = "the start of %s cannot tell whether it did";
	}
	if (!m)
		return NULL;
	text_format(text, sizeof text, format, m->utc[0] ? m->utc : "an unknown time");
	return text;
}

bool steps_noted(void)
{
	return journal.steps && journal.writable;
}

/* --- counts --- */

struct journal_counts *journal_counts(void)
{
	return &journal.variable.counts;
}

bool entries_add(bool to_be_stored, const char **why)
{
	uint32_t *entries = &journal.variable.counts.entries;

	journal.forgets = journal.file.counts.entries && !*entries;
	++*entries;
	*why = count_in_variable();
	if (*why)
		return false;
	journal.file.counts.entries = to_be_stored || journal.forgets ? *entries : 0;
	*why = count_in_file();
	if (!*why && journal.forgets)
		*why = "variables do not outlive a reset here: the last start set some";
	return !journal.forgets || journal.no_file;
}

void entries_forget(void)
{
	bool can_write = firmware_storage.boot_services();

	if (journal.file.counts.entries && can_write) {
		journal.file.counts.entries = 0;
		write_file(); /* first, as in entries_add */
	}
	if (journal.variable.counts.entries && (can_write || !journal.forgets)) {
		journal.variable.counts.entries = 0;
		write_variable(false);
	}
}

void journal_forget(void)
{
	journal.variable.counts = journal.file.counts = (struct journal_counts){ 0 };
	write_file();
	write_variable(false);
	firmware_storage.set("AnechoicStep", NULL, 0); /* variables of earlier versions */
	firmware_storage.set("AnechoicEnds", NULL, 0);
}

unsigned resets_before(uint64_t started)
{
	const struct journal_counts *c = &journal.variable.counts;

	if (started && c->ended && started > c->ended + RESET_GAP_SECONDS)
		return 0;
	return c->resets < RESETS_MAX ? c->resets : RESETS_MAX;
}

bool resets_in_vain(void)
{
	return journal.no_file && !journal.recorded;
}

static const char *count_resets_in_file(unsigned count, uint64_t ended)
{
	if (journal.no_file || !firmware_storage.boot_services())
		return NULL;
	journal.file.counts.resets = count;
	journal.file.counts.ended = ended;
	return count_in_file();
}

void resets_expect(uint64_t started, uint64_t ends)
{
	unsigned before = resets_before(started);

	/* After RESETS_MAX resets the machine halts, and the count begins again. */
	journal.unexpected = count_resets_in_file(before < RESETS_MAX ? before + 1 : 0, ends);
}

const char *resets_record(unsigned count, uint64_t ended)
{
	const char *why;

	journal.variable.counts.resets = count;
	journal.variable.counts.ended = ended;
	why = count_in_variable();
	if (!why)
		why = journal.unexpected;
	return why ? why : count_resets_in_file(count, ended);
}

const char *series_note(void)
{
	const char *why = journal.variables ? count_in_variable() : NULL;

	journal.file.counts.series = journal.variable.counts.series;
	if (why || !firmware_storage.boot_services())
		return why;
	if (!journal.no_file)
		return count_in_file();
	return journal.recorded ? NULL : "there is no file, and variables may not outlive a reset";
}
