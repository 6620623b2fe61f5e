/* SPDX-License-Identifier: MIT */
/* build/kam: the known-answer machine. docs/known-answer.md says what it is. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kam/judge/check.h"
#include "tests/kam/loops/loop_check.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/loops_only.h"
#include "tests/kam/image/fake_display.h"
#include "tests/kam/image/full_system.h"
#include "tests/kam/image/hostile.h"

/*
 * The time of a profile counts by instructions, at this price: all rows fit, with few samples, and
 * none is repeated for long.
 */
#define COST_NS 1

#define CPUS_MOST 64

/* The variants that the summary is computed from; no parameter depends on the others. */
#define PROBES                                                                                     \
	"clock:core-clock,clock:div3-lfence,latency:pointer-padded,latency:flushed,"               \
	"latency:flushed-pages,mlp:chains,mlp:chains-reach,bandwidth:read,"                        \
	"stride:flush-beside,branch:penalty,branch:period,branch:targets,branch:return-stack,"     \
	"tlb:cost,tlb:upper,window,ways"
/* In layer a, which leaves out their sweeps, these are fast as well. */
#define LOOPS_PROBES PROBES ",latency:sequential,bandwidth:write,bandwidth:copy,branch:learn"

static const char usage[] =
	"usage: kam --cpu X.ini --image build/BOOTX64.EFI --out F [--layer a|b] [--profile P]\n"
	"           [--largest BYTES]\n"
	"           [--probes P,...] [--seed N] [--cost NS] [--rooms R] [--verbose]\n"
	"           [--every-row] [--set KEY=VALUE]...\n"
	"                           layer a: the image's loops only; b: full system, the image in "
	"its "
	"rooms\n"
	"                           R: bare (the default), firmware or both\n"
	"                           --every-row: layer a also measures rows that no parameter "
	"needs\n"
	"                           --set: a setting of `anechoic run`, in layer a\n"
	"           [--hostile NAME[=N],...] [--load OPTIONS] [--cpus N]\n"
	"                           layer b on a machine that misbehaves, started again after each "
	"reset:\n"
	"                           prints how each start ended and all that the image said\n"
	"                           --load: more load options for the image\n"
	"                           --cpus: CPUs of the machine (1), started as on a real one\n"
	"           [--display WxH[,blt]] [--screendump FILE.ppm] [--cold]\n"
	"                           layer b with a display; blt: without a framebuffer\n"
	"                           --screendump: what it shows at the end\n"
	"                           --cold: what is said or drawn empties caches and predictors\n"
	"       kam --hostile list       the names; \"none\" is a machine that behaves\n"
	"       kam --check X.ini F...   compares results with the parameters of the machine\n"
	"       kam --values X.ini F...  values: how sure, and whether right\n"
	"       kam --loops BOOTX64.EFI  what the image's loops execute, against their names\n"
	"       kam --format             sections, keys and defaults of a .ini\n";

static void option(struct options *o, const char *key, const char *value)
{
	char err[256];

	if (settings_set(option_settings, option_settings_count, o, key, value, err, sizeof(err)))
		fatal("%s", err);
}

typedef int run_fn(const struct request *, const struct cpu *, FILE *out);

static void set(struct options *o, char *word)
{
	char *equals = strchr(word, '=');

	if (!equals)
		fatal("--set %s: want KEY=VALUE", word);
	*equals = 0;
	option(o, word, equals + 1);
}

static int measure(const struct request *r, run_fn *run)
{
	struct cpu cpu;
	FILE *out;
	int code;

	if (!r->cpu || !r->image || !r->out)
		fatal("--cpu, --image and --out are needed\n%s", usage);
	cpu_read(&cpu, r->cpu);
	if (run == loops_only_run)
		cpu_divide(&cpu, &cpu, cpu.sibling == SIBLING_PAUSE);
	out = fopen(r->out, "wb");
	if (!out)
		fatal("%s: cannot be written", r->out);
	code = run(r, &cpu, out);
	if (fclose(out))
		fatal("%s: cannot be written", r->out);
	return code;
}

static run_fn *layer(const char *name)
{
	if (!strcmp(name, "a"))
		return loops_only_run;
	if (!strcmp(name, "b"))
		return full_system_run;
	fatal("--layer %s: want a or b", name);
}

static const char *rooms(const char *name)
{
	if (strcmp(name, "bare") && strcmp(name, "firmware") && strcmp(name, "both"))
		fatal("--rooms %s: want bare, firmware or both", name);
	return name;
}

static unsigned cpus(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || n < 1 || n > CPUS_MOST)
		fatal("--cpus %s: want 1 to %d", text, CPUS_MOST);
	return (unsigned)n;
}

static struct display_request display(const char *text)
{
	struct display_request d;

	if (!display_parse(text, &d))
		fatal("--display %s: want WIDTHxHEIGHT, up to %d each, or the same and ,blt", text,
			DISPLAY_MOST);
	return d;
}

static const struct option longs[] = {
	{ "cpu", 1, NULL, 'c' },
	{ "image", 1, NULL, 'i' },
	{ "out", 1, NULL, 'o' },
	{ "layer", 1, NULL, 'l' },
	{ "profile", 1, NULL, 'p' },
	{ "largest", 1, NULL, 'g' },
	{ "probes", 1, NULL, 'b' },
	{ "seed", 1, NULL, 's' },
	{ "cost", 1, NULL, 't' },
	{ "set", 1, NULL, 'x' },
	{ "verbose", 0, NULL, 'v' },
	{ "rooms", 1, NULL, 'r' },
	{ "every-row", 0, NULL, 'e' },
	{ "hostile", 1, NULL, 'h' },
	{ "load", 1, NULL, 'd' },
	{ "cpus", 1, NULL, 'n' },
	{ "display", 1, NULL, 'y' },
	{ "screendump", 1, NULL, 'S' },
	{ "cold", 0, NULL, 'C' },
	{ "check", 1, NULL, 'k' },
	{ "values", 1, NULL, 'V' },
	{ "loops", 1, NULL, 'L' },
	{ "format", 0, NULL, 'f' },
	{ "help", 0, NULL, 'H' },
	{ NULL },
};

/* An option of a run. False: of another kind, or none. */
static bool take(struct request *r, run_fn **run, int c)
{
	/* clang-format off */
	switch (c) {
	case 'c': r->cpu = optarg; break;
	case 'i': r->image = optarg; break;
	case 'o': r->out = optarg; break;
	case 'l': *run = layer(optarg); break;
	case 'r': r->rooms = rooms(optarg); break;
	case 'p': option(&r->options, "profile", optarg); break;
	case 'g': option(&r->options, "largest", optarg); break;
	case 'b': option(&r->options, "probes", optarg); break;
	case 's': option(&r->options, "seed", optarg); break;
	case 't': r->cost_ns = strtoull(optarg, NULL, 10); break;
	case 'x': set(&r->options, optarg); break;
	case 'v': r->verbose = true; break;
	case 'e': r->brief = false; break;
	case 'h': r->hostile = optarg; break;
	case 'd': r->load = optarg; break;
	case 'n': r->cpus = cpus(optarg); break;
	case 'y': r->display = display(optarg); break;
	case 'S': r->screendump = optarg; break;
	case 'C': r->cold = true; break;
	default: return false;
	}
	/* clang-format on */
	return true;
}

/* The worst exit code of the results; each has a heading where there are several. */
static int each_result(int (*judge)(const char *, const char *), const char *ini, int n,
	char **results)
{
	int i, code = 0;

	for (i = 0; i < n; i++) {
		if (n > 1)
			printf("== %s\n", results[i]);
		code |= judge(ini, results[i]);
	}
	return code;
}

/* Run a command other than a measurement. Returns the exit code. */
static int other(int c, int argc, char **argv)
{
	if ((c == 'k' || c == 'V') && optind >= argc)
		fatal("--check and --values need a .ini and a result");
	if (c == 'k' || c == 'V')
		return each_result(c == 'k' ? check_result : print_values, optarg, argc - optind,
			argv + optind);
	if (c == 'L')
		return check_loops(optarg);
	if (c == 'f')
		cpu_format();
	else
		fputs(usage, c == 'H' ? stdout : stderr);
	return c == 'f' || c == 'H' ? 0 : 2;
}

int main(int argc, char **argv)
{
	struct request r = { .cost_ns = COST_NS, .rooms = "bare", .cpus = 1, .brief = true };
	run_fn *run = loops_only_run;
	int c;

	settings_init(option_settings, option_settings_count, &r.options);
	option(&r.options, "profile", "smoke");
	option(&r.options, "edges", "bisect");
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1)
		if (!take(&r, &run, c))
			return other(c, argc, argv);
	if (r.hostile && !strcmp(r.hostile, "list")) {
		hostile_list();
		return 0;
	}
	if (!*r.options.probes)
		option(&r.options, "probes", run == loops_only_run ? LOOPS_PROBES : PROBES);
	if ((r.display.width || r.cold) && run != full_system_run)
		fatal("--display and --cold need --layer b");
	if (r.screendump && !r.display.width)
		fatal("--screendump needs --display");
	return measure(&r, run);
}
