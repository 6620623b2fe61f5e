/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "linux/run_options.h"
#include "engine/bench.h"

enum {
	OWN_OUT,
	OWN_FORCE,
	OWN_LIST,
	OWN_HELP,
	OWN_PROBE,
	OWN_SCHEDULER,
	OWN_OPTIONS,
	MOST_OPTIONS = 32
};

#define NAME_BYTES 32

static const struct option own[OWN_OPTIONS] = {
	[OWN_OUT] = { "out", required_argument, NULL, MOST_OPTIONS + OWN_OUT },
	[OWN_FORCE] = { "force", no_argument, NULL, MOST_OPTIONS + OWN_FORCE },
	[OWN_LIST] = { "list", no_argument, NULL, MOST_OPTIONS + OWN_LIST },
	[OWN_HELP] = { "help", no_argument, NULL, MOST_OPTIONS + OWN_HELP },
	[OWN_PROBE] = { "probe", required_argument, NULL, MOST_OPTIONS + OWN_PROBE },
	[OWN_SCHEDULER] = { "scheduler", required_argument, NULL, MOST_OPTIONS + OWN_SCHEDULER },
};

/* A copy in which every `from` is `to`: anechoic.cfg joins words by '_', command lines by '-'. */
static const char *joined(char out[NAME_BYTES], const char *name, char from, char to)
{
	size_t n = 0;
	for (; name[n] && n + 1 < NAME_BYTES; n++)
		out[n] = name[n] == from ? to : name[n];
	out[n] = 0;
	return out;
}

/* getopt's value of a setting is its index in the table; it may be spelt either way. */
static void fill(struct option options[MOST_OPTIONS], char dashed[][NAME_BYTES])
{
	size_t n = 0;
	for (size_t i = 0; i < option_settings_count; i++) {
		const char *name = option_settings[i].name;
		options[n++] = (struct option){ name, required_argument, NULL, (int)i };
		if (strcmp(joined(dashed[i], name, '_', '-'), name))
			options[n++] =
				(struct option){ dashed[i], required_argument, NULL, (int)i };
	}
	memcpy(&options[n], own, sizeof(own));
	memset(&options[n + OWN_OPTIONS], 0, sizeof(*options));
}

static bool is_probe(const char *name, size_t n)
{
	for (unsigned i = 0; i < probe_count; i++)
		if (strlen(probes[i].name) == n && !strncmp(probes[i].name, name, n))
			return true;
	return false;
}

static int check_probes(const char *list, char *err, size_t err_bytes)
{
	while (*list) {
		size_t n = strcspn(list, ",");
		if (!is_probe(list, strcspn(list, ",:"))) {
			snprintf(err, err_bytes,
				"probe = '%.*s': no such probe; --list shows them all", (int)n,
				list);
			return -1;
		}
		list += n + (list[n] == ',');
	}
	return 0;
}

static int set(struct run_options *o, const char *key, char *err, size_t err_bytes)
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

static int take(struct run_options *o, int option, char *err, size_t err_bytes)
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
	case OWN_HELP:
		o->help = true;
		return 0;
	case OWN_PROBE:
		return set(o, "probes", err, err_bytes);
	case OWN_SCHEDULER:
		return choose_scheduler(o, err, err_bytes);
	}
	o->cpu_chosen |= option_settings[option].offset == offsetof(struct options, cpu);
	return set(o, option_settings[option].name, err, err_bytes);
}

/* An error of getopt; the message for a misspelt name has the nearest known one. */
static int refuse(char **argv, int option, char *err, size_t err_bytes)
{
	const char *word = argv[optind - 1];
	if (option == ':') {
		snprintf(err, err_bytes, "%s needs a value", word);
		return -1;
	}
	char name[64], key[NAME_BYTES], offer[NAME_BYTES];
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + strspn(word, "-"), "="),
		word + strspn(word, "-"));
	const char *near = settings_nearest(option_settings, option_settings_count,
		joined(key, name, '-', '_'));
	if (near)
		near = joined(offer, near, '_', '-');
	snprintf(err, err_bytes,
		near ? "unknown option '%s': did you mean '--%s'?"
		     : "unknown option '%s'; see `anechoic run --help`",
		word, near);
	return -1;
}

int run_options_parse(int argc, char **argv, struct run_options *out, char *err, size_t err_bytes)
{
	struct option options[MOST_OPTIONS];
	char dashed[MOST_OPTIONS][NAME_BYTES];
	int option;
	*out = (struct run_options){ 0 };
	settings_init(option_settings, option_settings_count, &out->settings);
	fill(options, dashed);
	optind = 0; /* glibc: start again, for tests */
	while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1) {
		if (option == '?' || option == ':')
			return refuse(argv, option, err, err_bytes);
		if (take(out, option == 'h' ? MOST_OPTIONS + OWN_HELP : option, err, err_bytes))
			return -1;
	}
	if (optind < argc) {
		snprintf(err, err_bytes, "'%s': run takes options only; see `anechoic run --help`",
			argv[optind]);
		return -1;
	}
	if (out->settings.largest && out->settings.smallest > out->settings.largest) {
		snprintf(err, err_bytes, "the smallest buffer is larger than the largest");
		return -1;
	}
	return check_probes(out->settings.probes, err, err_bytes);
}

static void print_setting(const struct setting *s)
{
	char name[NAME_BYTES];
	printf("  --%-13s %s", joined(name, s->name, '_', '-'), s->help);
	if (s->choices)
		printf(": %s", s->choices);
	printf(*s->initial ? " [%s]\n" : "\n", s->initial);
}

void run_options_help(void)
{
	puts("Usage: anechoic run [OPTION...]\n\n"
	     "Measures this machine under Linux. Tables go to standard output.\n");
	for (size_t i = 0; i < option_settings_count; i++)
		if (!option_settings[i].hidden)
			print_setting(&option_settings[i]);
	puts("  --scheduler     of the measuring thread: other: nice -20 where permitted; fifo:\n"
	     "                  real-time, priority 1; it needs CAP_SYS_NICE or `ulimit -r 1`\n"
	     "                  and a second CPU, else the run is by other, and says so [other]\n"
	     "  --out           file for the full result as NDJSON; - is standard output, and\n"
	     "                  the tables then go to standard error\n"
	     "                  [anechoic-<UTC>-<host>.ndjson in this folder]\n"
	     "  --force         an earlier result of that name is overwritten\n"
	     "  --list          the probes and what they measure; nothing runs\n"
	     "  --help          this text\n\n"
	     "Defaults stand in brackets; that of --cpu is the first processor that this\n"
	     "process may use. All memory is 4 GiB (512 MiB in smoke), at most half of what\n"
	     "is free. --probe is the same as --probes.\n\n"
	     "Exit code: 0 measured; 1 a loop failed its proof; 2 a mistake in the command\n"
	     "line, a machine that cannot be measured, or a result that could not be written;\n"
	     "130 interrupted (the rows that were finished are written).\n\n"
	     "Example: anechoic run --profile smoke --probe latency,bandwidth --out me.ndjson");
}
