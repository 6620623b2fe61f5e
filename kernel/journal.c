/* SPDX-License-Identifier: MIT */
#include "kernel/journal.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "lib/crc32.h"
#include "lib/text.h"
#include "version.h"

#define TITLE     "anechoic state 2 (to forget it: state = clear)\n"
#define SUM_BYTES 13 /* "sum 01234567\n", the last line */
#define SUMMED    (JOURNAL_BYTES - SUM_BYTES)
#define VARIABLE  "AnechoicJournal"

#define IN_BARE   "bare" /* in the file: the variable says more */
#define EXIT      "exit" /* in the file: there is no variable */
#define MEASURING "measuring"
#define END       "end"
#define LEFT      "left"    /* the file could not be written: what it says of a step is nothing */
#define RUNTIME   "runtime" /* the first SetVariable after the exit, or the exit */

/* What the notes of a start mean for the next one. */
enum end {
	GOOD,      /* nothing was left open */
	NOT_KNOWN, /* nothing is left out */
	NO_NOTE,   /* the same; where "runtime" is left out, so is the exit, once: it may hang */
	OPEN,      /* the step that the file names was left open */
	OPEN_NOTE, /* the one that the variable names: its last note */
	OPEN_EXIT  /* "runtime", which answers for "setvar" as well: where it is left out nothing is
		    * stored, and no variable is written after the exit */
};

/* The first line that fits; NULL: whatever it is. */
static const struct {
	const char *file, *variable;
	enum end end;
	const char *said;
} ends[] = {
	{ "", NULL, GOOD, NULL },
	{ NULL, LEFT, NOT_KNOWN, "could not note its steps: nothing is known of it" },
	{ IN_BARE, "", NOT_KNOWN, "entered room bare; its variables are lost" },
	{ IN_BARE, EXIT, OPEN_EXIT, NULL },
	{ IN_BARE, MEASURING, NOT_KNOWN, "was switched off, or hung, in room bare" },
	{ IN_BARE, END, GOOD, NULL },
	{ IN_BARE, NULL, OPEN_NOTE, NULL },
	{ EXIT, NULL, NO_NOTE, "cannot tell how it ended after the exit" },
	{ NULL, NULL, OPEN, NULL },
};

static struct {
	bool steps;   /* they are noted */
	bool file;    /* it can be written */
	bool in_file; /* it says that this start is in a step */
	bool no_file; /* there is no place for it */
	bool variables, runtime;
	bool recorded;          /* an earlier start's variable was found */
	bool in_variable;       /* steps of room bare are noted there */
	const char *unexpected; /* why resets_expect could not note one; NULL */
	const char *utc;
	char exit_unknown[STEP_UTC]; /* this start leaves the exit out: that one told no end */
	struct journal_file state;
	struct journal_note note;
} journal;

/* --- the file's text --- */

/* What was left open: twice in a row, once; `last` is the second of each. */
static const char *const words[] = { "hung", "last", "hung?", "last?" };

static void add_mark(char *out, size_t *used, const char *word, const struct step_mark *m)
{
	*used += (size_t)text_format(out + *used, SUMMED - *used, "%s %s %s\n", word, m->name,
		m->utc[0] ? m->utc : "-");
}

static void add_number(char *out, size_t *used, const char *word, uint64_t value)
{
	if (value)
		*used += (size_t)text_format(out + *used, SUMMED - *used, "%s %llx\n", word,
			(unsigned long long)value);
}

static void add_series(char *out, size_t *used, const struct series *s)
{
	if (s->runs)
		*used += (size_t)text_format(out + *used, SUMMED - *used,
			"series %s %x %x %x %x %x %x\n", s->stem, s->of, s->runs, s->run, s->starts,
			s->profile, s->rooms);
}

/* Writes it to out[JOURNAL_BYTES]. */
static void journal_write(const struct journal_file *f, char *out)
{
	char sum[SUM_BYTES + 1];
	size_t used = (size_t)text_format(out, SUMMED, "%s", TITLE);

	add_number(out, &used, "machine", f->machine);
	if (f->at.name[0])
		add_mark(out, &used, "at", &f->at);
	add_number(out, &used, "entries", f->counts.entries);
	add_number(out, &used, "resets", f->counts.resets);
	add_number(out, &used, "ended", f->counts.ended);
	add_series(out, &used, &f->counts.series);
	add_number(out, &used, "good", f->good);
	for (unsigned i = 0; i < f->nhung; i++)
		add_mark(out, &used, words[2 * f->hung[i].once + f->hung[i].last], &f->hung[i]);
	memset(out + used, '\n', SUMMED - used);
	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, out, SUMMED));
	memcpy(out + SUMMED, sum, SUM_BYTES);
}

/* The next word of a line, at most `bytes` with the NUL. false: there is none, or it is longer. */
static bool word(const char **at, char *out, size_t bytes)
{
	size_t n = 0;

	while (**at == ' ')
		++*at;
	for (; **at > ' ' && n + 1 < bytes; ++*at)
		out[n++] = **at;
	out[n] = 0;
	return n && **at <= ' ';
}

static bool read_mark(const char **at, struct step_mark *m)
{
	if (!word(at, m->name, sizeof m->name) || !word(at, m->utc, sizeof m->utc))
		return false;
	if (m->utc[0] == '-')
		m->utc[0] = 0;
	return true;
}

/* Of at most so many hexadecimal digits. */
static bool read_number(const char **at, unsigned most, uint64_t *value)
{
	char digits[17];

	if (!word(at, digits, most + 1))
		return false;
	*value = 0;
	for (const char *p = digits; *p; p++) {
		unsigned digit = *p >= 'a' ? (unsigned)(*p - 'a') + 10 : (unsigned)(*p - '0');

		if (digit > 15)
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

static bool read_series(const char **at, struct series *s)
{
	uint32_t *numbers[] = { &s->of, &s->runs, &s->run, &s->starts, &s->profile, &s->rooms };
	uint64_t value;

	if (!word(at, s->stem, sizeof s->stem))
		return false;
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		if (!read_number(at, i ? 2 : 8, &value))
			return false;
		*numbers[i] = (uint32_t)value;
	}
	return true;
}

static bool read_line(struct journal_file *f, const char *at)
{
	struct {
		const char *word;
		uint32_t *value;
	} numbers[] = { { "machine", &f->machine }, { "good", &f->good },
		{ "entries", &f->counts.entries }, { "resets", &f->counts.resets } };
	char kind[8];
	uint64_t value;

	if (!word(&at, kind, sizeof kind))
		return false;
	if (strcmp(kind, "at") == 0)
		return read_mark(&at, &f->at);
	if (strcmp(kind, "ended") == 0)
		return read_number(&at, 16, &f->counts.ended);
	if (strcmp(kind, "series") == 0)
		return read_series(&at, &f->counts.series);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(kind, numbers[i].word) == 0) {
			if (!read_number(&at, 8, &value))
				return false;
			*numbers[i].value = (uint32_t)value;
			return true;
		}
	for (unsigned i = 0; i < sizeof words / sizeof *words && f->nhung < STEPS_HUNG; i++)
		if (strcmp(kind, words[i]) == 0) {
			f->hung[f->nhung].once = i & 2;
			f->hung[f->nhung].last = i & 1;
			return read_mark(&at, &f->hung[f->nhung++]);
		}
	return false;
}

/* Reads n bytes. NULL, or why they are no such text; *f is all zeros then. */
static const char *journal_read(struct journal_file *f, const char *text, size_t n)
{
	char copy[JOURNAL_BYTES], sum[SUM_BYTES + 1];
	size_t title = strlen(TITLE);

	memset(f, 0, sizeof *f);
	if (n != JOURNAL_BYTES || memcmp(text, TITLE, title))
		return "it is not of this version";
	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, text, SUMMED));
	if (memcmp(text + SUMMED, sum, SUM_BYTES))
		return "its checksum is wrong";
	memcpy(copy, text, SUMMED);
	copy[SUMMED] = 0;
	for (const char *at = copy + title; *at && *at != '\n';) {
		const char *end = strchr(at, '\n');

		if (!end || !read_line(f, at)) {
			memset(f, 0, sizeof *f);
			return "a line is wrong";
		}
		at = end + 1;
	}
	return NULL;
}

/* --- the two places --- */

/*
 * 0, or why it is not written. Once it fails it is left alone: a stick that cannot be written says
 * so a single time.
 */
static uint64_t write_file(void)
{
	char text[JOURNAL_BYTES];
	uint64_t status;

	if (!journal.file)
		return 0;
	journal_write(&journal.state, text);
	status = firmware_storage.state_write(text, sizeof text);
	journal.file = status == 0;
	if (!status)
		journal.in_file = journal.state.at.name[0];
	return status;
}

/* NULL, or why the counts are not in the file. */
static const char *count_in_file(void)
{
	return write_file() || !journal.file ? "the starts cannot be counted in a file" : NULL;
}

static bool is_empty(const struct journal_note *note)
{
	static const struct journal_note nothing;

	return memcmp(note, &nothing, sizeof nothing) == 0;
}

/* One that says nothing is deleted. */
static bool write_variable(void)
{
	size_t n = is_empty(&journal.note) ? 0 : sizeof journal.note;

	return !firmware_storage.set(VARIABLE, n ? &journal.note : NULL, n);
}

static bool write_step(const char *step)
{
	memset(journal.note.step, 0, sizeof journal.note.step);
	text_format(journal.note.step, sizeof journal.note.step, "%s", step);
	return write_variable();
}

/* NULL, or why the counts are not in the variable. */
static const char *count_in_variable(void)
{
	struct journal_note back;
	size_t n = sizeof back;

	memset(&back, 0, sizeof back); /* also what lies between its members */
	write_variable();
	if (firmware_storage.get(VARIABLE, &back, &n))
		n = 0;
	if (n != (is_empty(&journal.note) ? 0 : sizeof back) ||
		memcmp(&back, &journal.note, sizeof back))
		return "the firmware does not store a variable";
	return NULL;
}

static void set_mark(struct step_mark *m, const char *name, const char *utc)
{
	text_format(m->name, sizeof m->name, "%s", name);
	text_format(m->utc, sizeof m->utc, "%s", utc);
}

/* The step that this start is in; "": none. A variable disowns what the file says if it must. */
static void note_in_file(const char *name)
{
	uint64_t status;

	set_mark(&journal.state.at, name, journal.utc);
	status = write_file();
	if (status)
		console_printf("\\anechoic.state: %s: %s\n", efi_status_text(status),
			journal.in_file && (!journal.variables || !write_step(LEFT))
				? "the next start may take a step for hung"
				: "a hang will not be known next time");
}

/* Where it fails it is taken back, so that no step stays there which then seems to have hung. */
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

/* --- what earlier starts left --- */

/* What is left out. */
static const struct step_mark *find(const char *name)
{
	for (unsigned i = 0; i < journal.state.nhung; i++)
		if (strcmp(journal.state.hung[i].name, name) == 0 && !journal.state.hung[i].once)
			return &journal.state.hung[i];
	return NULL;
}

/* Forgets what was left open once; whether the step of that name was. */
static bool forget_once(const char *name)
{
	struct journal_file *f = &journal.state;
	unsigned kept = 0;
	bool was = false;

	for (unsigned i = 0; i < f->nhung; i++)
		if (!f->hung[i].once)
			f->hung[kept++] = f->hung[i];
		else
			was |= strcmp(f->hung[i].name, name) == 0;
	f->nhung = kept;
	return was;
}

static void add_open(const char *name, const char *utc, bool last)
{
	struct journal_file *f = &journal.state;
	bool once = !forget_once(name);

	f->good = 0;
	if (find(name))
		return;
	if (f->nhung == STEPS_HUNG)
		memmove(f->hung, f->hung + 1, --f->nhung * sizeof *f->hung);
	set_mark(&f->hung[f->nhung], name, utc);
	f->hung[f->nhung].once = once;
	f->hung[f->nhung++].last = last;
}

static void add_good(void)
{
	struct journal_file *f = &journal.state;

	forget_once("");
	f->good += f->nhung != 0;
	if (f->good < STEPS_GOOD)
		return;
	f->good = 0;
	for (unsigned i = 0; i < f->nhung; i++)
		f->hung[i].once = true;
}

static void rewrite_file(void)
{
	uint64_t status = write_file();

	if (status)
		console_printf("\\anechoic.state: %s: it stays as it is\n",
			efi_status_text(status));
}

static void judge(void)
{
	struct step_mark at = journal.state.at;
	unsigned i = 0;

	if (!at.name[0] && !journal.state.nhung)
		return;
	while ((ends[i].file && strcmp(ends[i].file, at.name)) ||
		(ends[i].variable && strcmp(ends[i].variable, journal.note.step)))
		i++;
	if (ends[i].said)
		console_printf("the start of %s %s\n", at.utc, ends[i].said);
	if (ends[i].end == GOOD)
		add_good();
	else if (ends[i].end == OPEN)
		add_open(at.name, at.utc, false);
	else if (ends[i].end == OPEN_NOTE || ends[i].end == OPEN_EXIT)
		add_open(ends[i].end == OPEN_EXIT ? RUNTIME : journal.note.step, at.utc, true);
	else if (ends[i].end == NO_NOTE && find(RUNTIME))
		text_format(journal.exit_unknown, STEP_UTC, "%s", at.utc);
	journal.state.at.name[0] = 0;
	rewrite_file();
	/* where the file cannot be written a second hang could not be noted: the first counts */
	for (i = 0; i < journal.state.nhung && !journal.file; i++)
		journal.state.hung[i].once = false;
}

static void read_file(uint32_t machine)
{
	char text[JOURNAL_BYTES + 1];
	size_t n = sizeof text;
	uint64_t status = firmware_storage.state_read(text, &n);
	const char *why;

	journal.file = true;
	if (status == 0) {
		why = journal_read(&journal.state, text, n);
		if (why && n)
			console_printf("\\anechoic.state is not used: %s\n", why);
		else if (!why && journal.state.machine != machine)
			memset(&journal.state, 0, sizeof journal.state);
	}
	journal.state.machine = machine;
}

/* Any program may have written it: what is no word would make the file one that is not used. */
static bool is_word(const char *s, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (!s[i])
			return true;
		else if (s[i] <= ' ' || s[i] > '~')
			return false;
	return false;
}

static bool makes_sense(const struct series *s)
{
	return is_word(s->stem, sizeof s->stem) && *s->stem && s->runs <= RUNS_MAX && s->run &&
		s->run <= s->runs && s->starts <= RUNS_MAX && s->profile <= PROFILE_FULL &&
		s->rooms <= ROOMS_BARE;
}

static void read_variable(void)
{
	struct journal_note *note = &journal.note;
	size_t n = sizeof *note;

	journal.recorded =
		journal.variables && !firmware_storage.get(VARIABLE, note, &n) && n == sizeof *note;
	if (!journal.recorded) { /* none was written, or the firmware forgets them */
		*note = (struct journal_note){ .counts = journal.state.counts };
		note->counts.entries = 0;
	} else if (!is_word(note->step, sizeof note->step)) {
		memset(note->step, 0, sizeof note->step);
	}
	if (!makes_sense(&note->counts.series))
		memset(&note->counts.series, 0, sizeof note->counts.series);
	/* after the exit only the variable can have been set */
	journal.state.counts.series = note->counts.series;
}

static void say_open(bool once, const char *then)
{
	bool any = false, last = false;

	for (unsigned i = 0; i < journal.state.nhung; i++) {
		const struct step_mark *m = &journal.state.hung[i];

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

/* Tells machines apart that one stick is carried between, and versions of the program. */
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
	if (c->state == STATE_CLEAR && (journal.state.nhung || journal.state.at.name[0])) {
		journal.state = (struct journal_file){ .machine = journal.state.machine,
			.counts = journal.state.counts };
		rewrite_file();
	}
	judge();
	/* where the file stays as it is, so does the variable: the two belong together */
	if (journal.file && journal.note.step[0])
		write_step("");
	say_open(true, "that is tried again; left open once more, it is left out");
	say_open(false,
		"that is left out; to try it again: state = clear, or delete "
		"\\anechoic.state");
}

/* --- steps --- */

static void leave_for(const char *next)
{
	if (!journal.steps)
		return;
	if (!firmware_storage.boot_services()) {
		note_in_variable(next);
	} else if (journal.state.at.name[0]) {
		note_in_file("");
	}
}

/* The variable first: it counts only once the file says so. */
static void enter_exit(void)
{
	journal.in_variable =
		journal.file && journal.variables && journal.runtime && !find(RUNTIME);
	note_in_variable(EXIT);
	note_in_file(journal.in_variable ? IN_BARE : EXIT);
	journal.in_variable &= journal.file;
}

void step_enter(const char *name)
{
	if (!journal.steps)
		return;
	if (strcmp(name, "reset") == 0) {
		steps_end();
	} else if (!firmware_storage.boot_services()) {
		note_in_variable(name);
	} else if (strcmp(name, EXIT) == 0) {
		enter_exit();
	} else {
		note_in_file(name);
	}
}

void step_left(void)
{
	leave_for(MEASURING);
}

void steps_end(void)
{
	leave_for(END);
}

const char *step_hung(const char *name)
{
	static char text[64];
	const struct step_mark *m = journal.steps ? find(name) : NULL;
	const char *format = "the start of %s did not come back from it", *utc;

	if (!m && journal.steps && strcmp(name, "setvar") == 0)
		m = find(RUNTIME);
	if (!m && (strcmp(name, EXIT) || !journal.exit_unknown[0]))
		return NULL;
	if (!m)
		format = "the start of %s cannot tell whether it did";
	else if (m->last)
		format = "it may hang: see the start of %s";
	utc = m ? m->utc : journal.exit_unknown;
	text_format(text, sizeof text, format, utc[0] ? utc : "an unknown time");
	return text;
}

bool steps_noted(void)
{
	return journal.steps && journal.file;
}

/* --- counts --- */

unsigned entries_before(void)
{
	return journal.note.counts.entries;
}

const char *entries_add(bool to_be_stored, struct entry_counted *counted)
{
	uint32_t *entries = &journal.note.counts.entries;
	bool forgets = journal.state.counts.entries && !*entries;
	const char *why;

	++*entries;
	why = count_in_variable();
	*counted = (struct entry_counted){ !why, forgets };
	if (why)
		return why;
	journal.state.counts.entries = to_be_stored || forgets ? *entries : 0;
	why = count_in_file();
	if (why)
		return why;
	return forgets ? "variables do not outlive a reset here: the last start set some" : NULL;
}

void entries_forget(void)
{
	if (journal.state.counts.entries && firmware_storage.boot_services()) {
		journal.state.counts.entries = 0;
		write_file(); /* first: as entries_add */
	}
	if (journal.note.counts.entries) {
		journal.note.counts.entries = 0;
		write_variable();
	}
}

void journal_forget(void)
{
	static const char *const earlier[] = { "AnechoicStep", "AnechoicEnds" }; /* versions' */

	journal.note.counts = journal.state.counts = (struct journal_counts){ 0 };
	write_file();
	write_variable();
	for (unsigned i = 0; i < sizeof earlier / sizeof *earlier; i++)
		firmware_storage.set(earlier[i], NULL, 0);
}

unsigned resets_before(uint64_t started)
{
	const struct journal_counts *c = &journal.note.counts;

	if (started && c->ended && started > c->ended + RESET_GAP_SECONDS)
		return 0;
	return c->resets < RESETS_MAX ? c->resets : RESETS_MAX;
}

bool resets_in_vain(void)
{
	return journal.no_file && !journal.recorded;
}

const struct series *series_noted(void)
{
	return &journal.note.counts.series;
}

const char *series_note(const struct series *s)
{
	const char *why;

	journal.note.counts.series = journal.state.counts.series = *s;
	why = journal.variables ? count_in_variable() : NULL;
	if (why || !firmware_storage.boot_services())
		return why;
	if (!journal.no_file)
		return count_in_file();
	return journal.recorded ? NULL : "there is no file, and variables may not outlive a reset";
}

static const char *count_resets_in_file(unsigned count, uint64_t ended)
{
	if (journal.no_file || !firmware_storage.boot_services())
		return NULL;
	journal.state.counts.resets = count;
	journal.state.counts.ended = ended;
	return count_in_file();
}

void resets_expect(uint64_t started, uint64_t ends)
{
	unsigned before = resets_before(started);

	/* after the last it halts, and begins again */
	journal.unexpected = count_resets_in_file(before < RESETS_MAX ? before + 1 : 0, ends);
}

const char *resets_record(unsigned count, uint64_t ended)
{
	const char *why;

	journal.note.counts.resets = count;
	journal.note.counts.ended = ended;
	why = count_in_variable();
	if (!why)
		why = journal.unexpected;
	return why ? why : count_resets_in_file(count, ended);
}
