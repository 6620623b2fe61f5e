/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/bench.h"
#include "lib/ensure.h"
#include "lib/text.h"
#include "linux/code_text.h"
#include "linux/command_line.h"
#include "linux/report/wrap.h"
#include "linux/run_options.h"
#include "linux/show_row.h"

enum {
	OWN_OUT,
	OWN_FORCE,
	OWN_QUIET,
	OWN_VERBOSE,
	OWN_LIST,
	OWN_HELP,
	OWN_HELP_ALL,
	OWN_PROBE,
	OWN_SCHEDULER,
	OWN_CODE_FILE,
	OWN_OPTIONS,
	MOST_OPTIONS = 64
};

#define NAME_BYTES 32

static const struct option own[OWN_OPTIONS] = {
	[OWN_OUT] = { "out", required_argument, NULL, MOST_OPTIONS + OWN_OUT },
	[OWN_FORCE] = { "force", no_argument, NULL, MOST_OPTIONS + OWN_FORCE },
	[OWN_QUIET] = { "quiet", no_argument, NULL, MOST_OPTIONS + OWN_QUIET },
	[OWN_VERBOSE] = { "verbose", no_argument, NULL, MOST_OPTIONS + OWN_VERBOSE },
	[OWN_LIST] = { "list", no_argument, NULL, MOST_OPTIONS + OWN_LIST },
	[OWN_HELP] = { "help", no_argument, NULL, MOST_OPTIONS + OWN_HELP },
	[OWN_HELP_ALL] = { "help-all", no_argument, NULL, MOST_OPTIONS + OWN_HELP_ALL },
	[OWN_PROBE] = { "probe", required_argument, NULL, MOST_OPTIONS + OWN_PROBE },
	[OWN_SCHEDULER] = { "scheduler", required_argument, NULL, MOST_OPTIONS + OWN_SCHEDULER },
	[OWN_CODE_FILE] = { "code-file", required_argument, NULL, MOST_OPTIONS + OWN_CODE_FILE },
};

#define LETTERS "hqvo:"

/* The option that a letter stands for; other values of getopt_long are options. */
static int of_letter(int option)
{
	switch (option) {
	case 'h':
		return MOST_OPTIONS + OWN_HELP;
	case 'q':
		return MOST_OPTIONS + OWN_QUIET;
	case 'v':
		return MOST_OPTIONS + OWN_VERBOSE;
	case 'o':
		return MOST_OPTIONS + OWN_OUT;
	}
	return option;
}

/* The name of a setting on a command line, with '-' for the '_' of anechoic.cfg. */
static const char *with_dashes(char out[NAME_BYTES], const char *name)
{
	size_t n = 0;
	for (; name[n] && n + 1 < NAME_BYTES; n++)
		out[n] = name[n] == '_' ? '-' : name[n];
	out[n] = 0;
	return out;
}

/* Returns true if the name alone says what is wanted: --quick. */
static bool is_switch(const struct setting *s)
{
	return s->choices && !strcmp(s->choices, "off|on");
}

/*
 * Fill the options. getopt's value of a setting is its index in the table; both spellings are
 * accepted.
 */
static void fill_options(const struct setting *settings, size_t count,
	struct option options[MOST_OPTIONS], char dashed[][NAME_BYTES])
{
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		const char *name = settings[i].name;
		ensure(n + 2 + OWN_OPTIONS < MOST_OPTIONS);
		int argument = is_switch(&settings[i]) ? optional_argument : required_argument;
		options[n++] =
			(struct option){ with_dashes(dashed[i], name), argument, NULL, (int)i };
		if (strcmp(dashed[i], name))
			options[n++] = (struct option){ name, required_argument, NULL, (int)i };
	}
	memcpy(&options[n], own, sizeof(own));
	memset(&options[n + OWN_OPTIONS], 0, sizeof(*options));
}

static int set_setting(struct run_options *o, const char *key, char *err, size_t err_bytes)
{
	return settings_set(option_settings, option_settings_count, &o->settings, key, optarg, err,
		err_bytes);
}

static int choose_scheduler(struct run_options *o, char *err, size_t err_bytes)
{
	o->fifo = !strcmp(optarg, "fifo");
	if (o->fifo || !strcmp(optarg, "other"))
		return 0;
	snprintf(err, err_bytes, "scheduler = '%s': must be one of fifo, other", optarg);
	return -1;
}

static int take_option(struct run_options *o, int option, char *err, size_t err_bytes)
{
	switch (option - MOST_OPTIONS) {
	case OWN_OUT:
		o->out = optarg;
		return 0;
	case OWN_FORCE:
		o->force = true;
		return 0;
	case OWN_LIST:
		o->list = true;
		return 0;
	case OWN_QUIET:
	case OWN_VERBOSE:
		o->quiet = option == MOST_OPTIONS + OWN_QUIET;
		o->verbose = !o->quiet;
		return 0;
	case OWN_HELP_ALL:
		o->help_all = true;
		/* fallthrough */
	case OWN_HELP:
		o->help = true;
		return 0;
	case OWN_PROBE:
		return set_setting(o, "probes", err, err_bytes);
	case OWN_SCHEDULER:
		return choose_scheduler(o, err, err_bytes);
	case OWN_CODE_FILE:
		return code_take_file(&o->settings, optarg, err, err_bytes);
	}
	size_t offset = option_settings[option].offset;
	o->cpu_chosen |= offset == offsetof(struct options, cpu);
	if (offset == offsetof(struct options, code) ||
		offset == offsetof(struct options, code_init))
		return code_take(&o->settings, option_settings[option].name, optarg, err,
			err_bytes);
	return set_setting(o, option_settings[option].name, err, err_bytes);
}

/* A setting that may stand alone is then on; else "on" or "off" follows. */
static void take_switch(int argc, char **argv)
{
	bool follows =
		optind < argc && (!strcmp(argv[optind], "on") || !strcmp(argv[optind], "off"));

	optarg = follows ? argv[optind++] : "on";
}

/* Write what the word that is no option may have been meant for. Returns -1. */
static int refuse_word(const char *word, char *err, size_t err_bytes)
{
	static const char only[] = "run takes options only";
	const char *dot = strrchr(word, '.'), *option = NULL;

	if (*show_probe(word)->name)
		option = "probe";
	else if ((dot && !strcmp(dot, ".ndjson")) || !access(word, F_OK))
		option = "out";
	if (option)
		snprintf(err, err_bytes, "'%s': %s: did you mean --%s %s?", word, only, option,
			word);
	else
		snprintf(err, err_bytes, "'%s': %s; see `anechoic run --help`", word, only);
	return -1;
}

/*
 * Choose what is printed: the card. Where probes or a source were chosen, their tables are what was
 * asked for.
 */
static void choose_text(struct run_options *o)
{
	bool chosen = *o->settings.probes || o->settings.source;

	o->settings.text = o->quiet ? TEXT_NONE : o->verbose || chosen ? TEXT_ALL : TEXT_CARD;
}

int run_options_parse(int argc, char **argv, struct run_options *out, char *err, size_t err_bytes)
{
	struct option options[MOST_OPTIONS];
	char dashed[MOST_OPTIONS][NAME_BYTES];
	int option;
	*out = (struct run_options){ 0 };
	settings_init(option_settings, option_settings_count, &out->settings);
	fill_options(option_settings, option_settings_count, options, dashed);
	optind = 0; /* glibc: start again, for tests */
	while ((option = getopt_long(argc, argv, "+:" LETTERS, options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return option_refused("run", options, argv, option, err, err_bytes);
		option = of_letter(option);
		if (option < MOST_OPTIONS && !optarg)
			take_switch(argc, argv);
		if (take_option(out, option, err, err_bytes))
			return -1;
	}
	if (optind < argc)
		return refuse_word(argv[optind], err, err_bytes);
	if (out->settings.largest && out->settings.smallest > out->settings.largest) {
		snprintf(err, err_bytes, "the smallest buffer is larger than the largest");
		return -1;
	}
	const char *lone = options_settle(&out->settings);

	choose_text(out);
	if (lone)
		snprintf(err, err_bytes, "%s", lone);
	return lone ? -1 : 0;
}

/* Settings that few people need; --help-all has them, too. */
static const char rare[] = "page,seed,smallest,largest,noise_seconds,prefetch,node,edges,identity,"
			   "run_id,code_init,code_unroll,code_loop";

#define HELP_TEXT 256

static void print_setting(const struct setting *s)
{
	char name[NAME_BYTES], text[HELP_TEXT];
	int n = text_format(text, sizeof text, "%s%s%s", s->help, s->choices ? ": " : "",
		s->choices ? s->choices : "");

	if (*s->initial)
		text_format(text + n, sizeof text - (size_t)n, " [%s]", s->initial);
	print_option(with_dashes(name, s->name), 0, "", text);
}

void run_options_help(bool all)
{
	puts("Usage: anechoic run [OPTION...]\n\n"
	     "Measures this machine under Linux. The card, which says what was found, goes to\n"
	     "standard output, progress to standard error; with -v, or if probes or a source\n"
	     "are chosen, tables, values and sentences as well. The result has all of it.\n");
	for (size_t i = 0; i < option_settings_count; i++)
		if (all || !names_have(rare, option_settings[i].name))
			print_setting(&option_settings[i]);
	print_option("scheduler", 0, "",
		"of the measuring thread: other: nice -20 where permitted; fifo: real-time, "
		"priority 1; it needs CAP_SYS_NICE or `ulimit -r 1` and a second CPU, else the "
		"run is by other, and says so: other|fifo [other]");
	if (all)
		print_option("code-file", 0, "",
			"file with the code as assembly (Intel's syntax), which --code and "
			"--code-init also take: --code 'imul rax, rax'");
	print_option("out", 'o', "",
		"file for the full result as NDJSON; - is standard output, and the text then goes "
		"to standard error; with --runs 3: -1, -2 and -3 before .ndjson "
		"[anechoic-<UTC>-<host>.ndjson in this folder]");
	print_option("force", 0, "", "an earlier result of that name is overwritten");
	print_option("quiet", 'q', "", "nothing but errors");
	print_option("verbose", 'v', "", "tables, values and sentences, too");
	print_option("list", 0, "", "the probes, and what each profile answers; nothing runs");
	print_option("help", 'h', "", "this text");
	print_option("help-all", 0, "", "this text with the rare options");
	puts("\nDefaults stand in brackets; that of --cpu is the first processor that this\n"
	     "process may use. All memory is 4 GiB, at most half of what is free, and taken as\n"
	     "rows need it. --probe is the same as --probes.\n\n"
	     "Exit code: 0 measured; 1 a loop failed its proof; 2 a mistake in the command\n"
	     "line, a machine that cannot be measured, or a result that could not be written;\n"
	     "130 interrupted (the rows that were finished are written).\n\n"
	     "Example: anechoic run --profile smoke --probe latency,bandwidth --out me.ndjson");
}
