/* SPDX-License-Identifier: MIT */
#include "kernel/steps.h"

#include <string.h>

#include "kernel/console/console.h"
#include "kernel/cpu/msr.h"
#include "kernel/firmware/firmware_calls.h"
#include "lib/crc32.h"
#include "lib/text.h"
#include "version.h"

#define TITLE     "anechoic state 1. To forget it: delete this file, or state = clear.\n"
#define SUM_BYTES 13 /* "sum 01234567\n", the last line */
#define SUMMED    (STEP_STATE_BYTES - SUM_BYTES)

/* What was left open: twice in a row, once. */
static const char *const words[] = { "hung", "last", "hung?", "last?" };

static void add_mark(char *out, size_t *used, const char *word, const struct step_mark *m)
{
	*used += (size_t)text_format(out + *used, SUMMED - *used, "%s %s %s\n", word, m->name,
		m->utc[0] ? m->utc : "-");
}

void step_state_write(const struct step_state *s, char *out)
{
	char sum[SUM_BYTES + 1];
	size_t used;

	used = (size_t)text_format(out, SUMMED, "%smachine %08x\n", TITLE, s->machine);
	if (s->at.name[0])
		add_mark(out, &used, "at", &s->at);
	if (s->good)
		used += (size_t)text_format(out + used, SUMMED - used, "good %x\n", s->good);
	for (unsigned i = 0; i < s->nhung; i++)
		add_mark(out, &used, words[2 * s->hung[i].once + s->hung[i].last], &s->hung[i]);
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

static bool read_hexadecimal(const char **at, uint32_t *value)
{
	char digits[9];

	if (!word(at, digits, sizeof digits))
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

static bool read_line(struct step_state *s, const char *at)
{
	char kind[8];

	if (!word(&at, kind, sizeof kind))
		return false;
	if (strcmp(kind, "machine") == 0)
		return read_hexadecimal(&at, &s->machine);
	if (strcmp(kind, "good") == 0)
		return read_hexadecimal(&at, &s->good);
	if (strcmp(kind, "at") == 0)
		return read_mark(&at, &s->at);
	for (unsigned i = 0; i < sizeof words / sizeof *words && s->nhung < STEPS_HUNG; i++)
		if (strcmp(kind, words[i]) == 0) {
			s->hung[s->nhung].once = i & 2;
			s->hung[s->nhung].last = i & 1;
			return read_mark(&at, &s->hung[s->nhung++]);
		}
	return false;
}

static const char *read_text(struct step_state *s, const char *text, size_t n)
{
	char copy[STEP_STATE_BYTES + 1], sum[SUM_BYTES + 1];
	size_t title = strlen(TITLE);

	if (n != STEP_STATE_BYTES || memcmp(text, TITLE, title))
		return "it is not of this version";
	text_format(sum, sizeof sum, "sum %08x\n", crc32_of(0, text, SUMMED));
	if (memcmp(text + SUMMED, sum, SUM_BYTES))
		return "its checksum is wrong";
	memcpy(copy, text, SUMMED);
	copy[SUMMED] = 0;
	for (const char *at = copy + title; *at && *at != '\n';) {
		const char *end = strchr(at, '\n');

		if (!end || !read_line(s, at))
			return "a line is wrong";
		at = end + 1;
	}
	return NULL;
}

const char *step_state_read(struct step_state *s, const char *text, size_t n)
{
	const char *why;

	memset(s, 0, sizeof *s);
	why = read_text(s, text, n);
	if (why)
		memset(s, 0, sizeof *s);
	return why;
}

#define VARIABLE "AnechoicStep"

#define IN_BARE   "bare" /* in the file: the variable says more */
#define EXIT      "exit" /* in the file: there is no variable */
#define MEASURING "measuring"
#define END       "end"
#define LEFT      "left"    /* the file could not be written: what it says of a step is nothing */
#define RUNTIME   "runtime" /* the first SetVariable after the exit, or the exit */

static struct {
	const struct step_storage *storage; /* NULL: nothing is noted */
	bool file;                          /* it can be written */
	bool in_file;                       /* it says that this start is in a step */
	bool variables, runtime;
	bool in_variable; /* steps of room bare are noted there */
	const char *utc;
	char found[STEP_NAME + 1];   /* in the variable, by this start; "": none */
	char exit_unknown[STEP_UTC]; /* this start leaves the exit out: that one told no end */
	struct step_state state;
} steps;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	char line[120];
	va_list args;

	va_start(args, format);
	text_vformat(line, sizeof line, format, args);
	va_end(args);
	steps.storage->say(line);
}

static bool is(const struct step_mark *m, const char *name)
{
	return strcmp(m->name, name) == 0;
}

static void set_mark(struct step_mark *m, const char *name, const char *utc)
{
	text_format(m->name, sizeof m->name, "%s", name);
	text_format(m->utc, sizeof m->utc, "%s", utc);
}

/* What is left out. */
static const struct step_mark *find(const char *name)
{
	for (unsigned i = 0; i < steps.state.nhung; i++)
		if (is(&steps.state.hung[i], name) && !steps.state.hung[i].once)
			return &steps.state.hung[i];
	return NULL;
}

/* Forgets what was left open once; whether the step of that name was. */
static bool forget_once(const char *name)
{
	struct step_state *s = &steps.state;
	unsigned kept = 0;
	bool was = false;

	for (unsigned i = 0; i < s->nhung; i++)
		if (!s->hung[i].once)
			s->hung[kept++] = s->hung[i];
		else
			was |= is(&s->hung[i], name);
	s->nhung = kept;
	return was;
}

/* The last start left it open. */
static void add_open(const char *name, const char *utc, bool last)
{
	struct step_state *s = &steps.state;
	bool once = !forget_once(name);

	s->good = 0;
	if (find(name))
		return;
	if (s->nhung == STEPS_HUNG)
		memmove(s->hung, s->hung + 1, --s->nhung * sizeof *s->hung);
	set_mark(&s->hung[s->nhung], name, utc);
	s->hung[s->nhung].once = once;
	s->hung[s->nhung++].last = last;
}

/* The last start left nothing open. */
static void add_good(void)
{
	struct step_state *s = &steps.state;

	forget_once("");
	s->good += s->nhung != 0;
	if (s->good < STEPS_GOOD)
		return;
	s->good = 0;
	for (unsigned i = 0; i < s->nhung; i++)
		s->hung[i].once = true;
}

/*
 * 0, or why it is not written. Once it fails it is left alone: a stick that cannot be written says
 * so a single time.
 */
static uint64_t write_file(void)
{
	char text[STEP_STATE_BYTES];
	uint64_t status;

	if (!steps.file)
		return 0;
	step_state_write(&steps.state, text);
	status = steps.storage->file_write(text, sizeof text);
	steps.file = status == 0;
	if (!status)
		steps.in_file = steps.state.at.name[0];
	return status;
}

static uint64_t set_variable(const char *text)
{
	char name[STEP_NAME] = "";

	text_format(name, sizeof name, "%s", text);
	return steps.storage->set(VARIABLE, name, sizeof name);
}

/* The step that this start is in; "": none. A variable disowns what the file says if it must. */
static void note_in_file(const char *name)
{
	uint64_t status;

	set_mark(&steps.state.at, name, steps.utc);
	status = write_file();
	if (status)
		say("\\anechoic.state: %s: %s", efi_status_text(status),
			steps.in_file && (!steps.variables || set_variable(LEFT))
				? "the next start may take a step for hung"
				: "a hang will not be known next time");
}

/* What earlier starts left. */
static void rewrite_file(void)
{
	uint64_t status = write_file();

	if (status)
		say("\\anechoic.state: %s: it stays as it is", efi_status_text(status));
}

static void read_file(uint32_t machine)
{
	char text[STEP_STATE_BYTES + 1];
	size_t n = sizeof text;
	uint64_t status = steps.storage->file_read(text, &n);
	const char *why;

	steps.file = true;
	if (status == 0) {
		why = step_state_read(&steps.state, text, n);
		if (why && n)
			say("\\anechoic.state is not used: %s", why);
		else if (!why && steps.state.machine != machine)
			memset(&steps.state, 0, sizeof steps.state);
	}
	steps.state.machine = machine;
}

/* Any program may have written it: what is no name would make the file one that is not used. */
static bool is_name(const char *s)
{
	while ((*s >= 'a' && *s <= 'z') || (*s >= '-' && *s <= ':'))
		s++;
	return !*s;
}

static void read_variable(void)
{
	size_t n = STEP_NAME;

	if (!steps.variables || steps.storage->get(VARIABLE, steps.found, &n) || n != STEP_NAME ||
		!is_name(steps.found))
		steps.found[0] = 0;
}

static bool found(const char *text)
{
	return strcmp(steps.found, text) == 0;
}

/* Room bare was entered, with a variable that names the step. */
static void judge_variable(const char *utc)
{
	if (found(""))
		say("the start of %s entered room bare; its variables are lost", utc);
	else if (found(EXIT))
		add_open(RUNTIME, utc, true);
	else if (found(MEASURING))
		say("the start of %s was switched off, or hung, in room bare", utc);
	else if (found(END))
		add_good();
	else
		add_open(steps.found, utc, true);
}

/* Room bare was entered without one. */
static void judge_exit(const char *utc)
{
	say("the start of %s cannot tell how it ended after the exit", utc);
	if (find(RUNTIME))
		text_format(steps.exit_unknown, sizeof steps.exit_unknown, "%s", utc);
}

/* A second hang could not be noted where the file cannot be written: so the first one counts. */
static void keep_all(void)
{
	for (unsigned i = 0; i < steps.state.nhung && !steps.file; i++)
		steps.state.hung[i].once = false;
}

static void judge(void)
{
	struct step_mark at = steps.state.at;

	if (!at.name[0] && !steps.state.nhung)
		return;
	if (!at.name[0])
		add_good();
	else if (found(LEFT))
		say("the start of %s could not note its steps: nothing is known of it", at.utc);
	else if (is(&at, IN_BARE))
		judge_variable(at.utc);
	else if (is(&at, EXIT))
		judge_exit(at.utc);
	else
		add_open(at.name, at.utc, false);
	steps.state.at.name[0] = 0;
	rewrite_file();
	keep_all();
}

/* Where the file stays as it is, so does the variable: the two belong together. */
static void forget_variable(void)
{
	char name[STEP_NAME];
	size_t n = sizeof name;

	if (steps.file && steps.variables &&
		steps.storage->get(VARIABLE, name, &n) != EFI_STATUS_NOT_FOUND)
		steps.storage->set(VARIABLE, NULL, 0);
}

static void say_open(bool once, const char *then)
{
	bool any = false, last = false;

	for (unsigned i = 0; i < steps.state.nhung; i++) {
		const struct step_mark *m = &steps.state.hung[i];

		if (m->once != once)
			continue;
		any = true;
		last |= m->last;
		say(m->last ? "the last note of the start of %s is: %s"
			    : "the start of %s did not come back from: %s",
			m->utc, m->name);
	}
	if (last)
		say("it hung there, was switched off, or could note no more");
	if (any)
		say("%s", then);
}

void steps_open(const struct steps_setup *setup)
{
	memset(&steps, 0, sizeof steps);
	if (setup->choice == STATE_OFF)
		return;
	steps.storage = setup->storage;
	steps.variables = setup->variables;
	steps.runtime = setup->runtime;
	steps.utc = setup->utc;
	read_file(setup->machine);
	if (setup->choice == STATE_CLEAR && (steps.state.nhung || steps.state.at.name[0])) {
		steps.state = (struct step_state){ .machine = setup->machine };
		rewrite_file();
	}
	read_variable();
	judge();
	forget_variable();
	say_open(true, "that is tried again; left open once more, it is left out");
	say_open(false,
		"that is left out; to try it again: state = clear, or delete "
		"\\anechoic.state");
}

/* Where it fails it is deleted, so that no step stays there which then seems to have hung. */
static void write_variable(const char *step)
{
	if (!steps.in_variable || !set_variable(step))
		return;
	steps.in_variable = false;
	if (steps.storage->set(VARIABLE, NULL, 0) && !steps.storage->boot_services())
		say("the firmware stores no step: the next start may take this one for hung");
}

/* The variable first: it counts only once the file says so. */
static void enter_exit(void)
{
	steps.in_variable = steps.file && steps.variables && steps.runtime && !find(RUNTIME);
	write_variable(EXIT);
	note_in_file(steps.in_variable ? IN_BARE : EXIT);
	steps.in_variable &= steps.file;
}

static void leave_for(const char *next)
{
	if (!steps.storage)
		return;
	if (!steps.storage->boot_services()) {
		write_variable(next);
	} else if (steps.state.at.name[0]) {
		note_in_file("");
	}
}

void step_enter(const char *name)
{
	if (!steps.storage)
		return;
	if (strcmp(name, "reset") == 0) {
		steps_end();
	} else if (!steps.storage->boot_services()) {
		write_variable(name);
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
	const struct step_mark *m = steps.storage ? find(name) : NULL;
	const char *format = "the start of %s did not come back from it", *utc;

	if (!m && steps.storage && strcmp(name, "setvar") == 0)
		m = find(RUNTIME);
	if (!m && (strcmp(name, EXIT) || !steps.exit_unknown[0]))
		return NULL;
	if (!m)
		format = "the start of %s cannot tell whether it did";
	else if (m->last)
		format = "it may hang: see the start of %s";
	utc = m ? m->utc : steps.exit_unknown;
	text_format(text, sizeof text, format, utc[0] ? utc : "an unknown time");
	return text;
}

static void print_line(const char *line)
{
	console_printf("%s\n", line);
}

static const struct step_storage storage = {
	.file_read = firmware_state_read,
	.file_write = firmware_state_write,
	.get = firmware_variable_get,
	.set = firmware_variable_set,
	.boot_services = boot_services_active,
	.say = print_line,
};

uint32_t machine_id(const struct machine *m)
{
	uint32_t id = cpu_leaf(&this_cpu, 1).eax;

	for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; leaf++) {
		struct cpuid name = cpu_leaf(&this_cpu, leaf);

		id = crc32_of(id, &name, sizeof name);
	}
	id = crc32_of(id, m->firmware_vendor, strlen(m->firmware_vendor));
	return crc32_of(id, &m->firmware_revision, sizeof m->firmware_revision);
}

void steps_open_machine(const struct machine *m, const struct config *c)
{
	steps_open(&(struct steps_setup){
		.storage = &storage,
		.choice = c->state,
		.machine = crc32_of(machine_id(m), VERSION, sizeof VERSION),
		.utc = m->started_utc,
		.variables = m->store.usable,
		.runtime = m->store.usable_at_runtime && c->store != STORE_OFF,
	});
}
