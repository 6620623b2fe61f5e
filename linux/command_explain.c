/* SPDX-License-Identifier: MIT */
/* anechoic explain: a probe, a variant, a row or a value, in the words of the probe's README. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bench.h"
#include "lib/pack.h"
#include "lib/text.h"
#include "linux/command_line.h"
#include "linux/commands.h"
#include "linux/readme.h"
#include "linux/report/allocate.h"
#include "linux/report/wrap.h"

#define ME "explain"

static const struct command_help help = {
	.name = ME,
	.usage = "Usage: anechoic explain [NAME...]\n\n"
		 "Explains a probe (all of it), a value of the summary, a variant, PROBE:VARIANT,\n"
		 "or a row as `show` prints it (in quotes). Without NAME: lists what can be\n"
		 "explained. The text is that of the probe's README, which the program carries.",
	.notes = "Exit code: 0 explained; 2 no such name, or the output failed.\n\n"
		 "Example: anechoic explain l2_bytes latency:pointer-padded noise",
};

/* Packed by tools/pack-texts: the READMEs of all probes, each ended by 0. */
static const unsigned char packed[] = {
#include "readmes.inc"
};

static struct {
	char *text;
	size_t n;
} readmes;

/* The README whose title has that name; NULL: there is none. */
static const char *readme_of(const char *probe)
{
	size_t n = strlen(probe);

	for (const char *at = readmes.text; at < readmes.text + readmes.n; at += strlen(at) + 1)
		if (!strncmp(at, "# `", 3) && !strncmp(at + 3, probe, n) && at[3 + n] == '`')
			return at;
	return NULL;
}

static void print_plain(const char *start, const struct readme_block *b)
{
	char *text = block_plain(b);

	print_wrapped(stdout, start, text);
	free(text);
}

static void print_block(const struct readme_block *b)
{
	const char *indent = b->kind == BLOCK_HEADING ? "" : b->kind == BLOCK_ROW ? "  - " : "  ";
	char start[16];

	if (b->apart)
		putchar('\n');
	if (b->kind == BLOCK_CODE) {
		printf("    %.*s\n", (int)b->n, b->text);
		return;
	}
	snprintf(start, sizeof start, "%s%.*s", indent, b->kind == BLOCK_ITEM ? (int)b->mark : 0,
		b->text - b->mark);
	print_plain(start, b);
}

/* The items about prefetchers, translation, clock and node, which every README has. */
static void print_misleads(const char *readme)
{
	static const char *const what[] = { "Prefetchers", "Translation", "Clock", "Node" };
	enum item_sort sort = ITEM_OTHER;
	struct readme_block item;

	puts("\nWhat misleads, and what is done:");
	while (item_next(&readme, &sort, &item))
		for (size_t i = 0; sort == ITEM_MISLEADS && i < sizeof what / sizeof *what; i++)
			if (!strncmp(item.text, what[i], strlen(what[i])))
				print_plain("  - ", &item);
}

static void print_item(const char *probe, enum item_sort sort, const struct readme_block *item)
{
	const char *readme = readme_of(probe), *at = readme;
	struct readme_block b;

	block_next(&at, &b);
	print_plain(sort == ITEM_VALUE ? "Value of probe " : "Variant of probe ", &b);
	print_plain("  ", item);
	puts("\nThe probe's question:");
	block_next(&at, &b);
	print_plain("  ", &b);
	print_misleads(readme);
	printf("\nMore: `anechoic explain %s`, probes/%s/README.md, docs/method.md\n", probe,
		probe);
}

/* Number of explanations printed so far, and the name that is nearest to an unknown one. */
struct explain_search {
	unsigned explained;
	char near[ITEM_NAME];
	size_t least;
};

static void consider(struct explain_search *search, const char *word, const char *name)
{
	if (text_nearer(word, name, &search->least))
		snprintf(search->near, sizeof search->near, "%s", name);
}

static void begin(struct explain_search *search)
{
	if (search->explained++)
		putchar('\n');
}

static bool item_has(const struct readme_block *item, const char *word,
	struct explain_search *search)
{
	char name[ITEM_NAME];

	for (const char *at = NULL; item_name(item, &at, name); consider(search, word, name))
		if (!strcmp(name, word))
			return true;
	return false;
}

/* Explains the variants and values of that name of one probe; false: it has none. */
static bool explain_items(const char *probe, const char *word, struct explain_search *search)
{
	const char *at = readme_of(probe);
	enum item_sort sort = ITEM_OTHER;
	struct readme_block item;
	bool any = false;

	while (at && item_next(&at, &sort, &item)) {
		if (sort == ITEM_MISLEADS || !item_has(&item, word, search))
			continue;
		begin(search);
		print_item(probe, sort, &item);
		any = true;
	}
	return any;
}

/* "NAME", "PROBE:NAME", "PROBE NAME ...", or a row: "VARIANT 32K 2M ...". False: unknown. */
static bool explain(const char *name, struct explain_search *search)
{
	char first[ITEM_NAME] = "", second[ITEM_NAME] = "";
	const char *colon = strchr(name, ':'), *readme;
	bool any = false;
	struct readme_block b;

	sscanf(name, " %63[^ :,]%*[ :,]%63[^ ,]", first, second);
	if (*second && explain_items(first, second, search))
		return true;
	readme = readme_of(first);
	if (readme && colon && colon[1] && colon[1] != ' ')
		return false;
	search->least = 0;
	for (unsigned i = 0; i < probe_count; i++) {
		any |= explain_items(probes[i].name, first, search);
		consider(search, first, probes[i].name);
	}
	if (readme)
		begin(search);
	for (const char *at = readme; at && block_next(&at, &b);)
		print_block(&b);
	return any || readme;
}

static void list_names(const char *start, const char *readme, enum item_sort wanted)
{
	enum item_sort sort = ITEM_OTHER;
	struct readme_block item;
	char name[ITEM_NAME], *text;
	size_t n;
	FILE *list = text_stream(&text, &n);

	while (item_next(&readme, &sort, &item))
		for (const char *at = NULL; sort == wanted && item_name(&item, &at, name);)
			fprintf(list, "%s%s", ftell(list) ? ", " : "", name);
	fclose(list);
	if (n)
		print_wrapped(stdout, start, text);
	free(text);
}

static void list_all(void)
{
	for (unsigned i = 0; i < probe_count; i++) {
		const char *readme = readme_of(probes[i].name);

		if (!readme)
			continue;
		printf("%s%s: %s\n", i ? "\n" : "", probes[i].name, probes[i].what);
		list_names("  variants: ", readme, ITEM_VARIANT);
		list_names("  values: ", readme, ITEM_VALUE);
	}
}

static int explain_all(char **names)
{
	struct explain_search search = { .explained = 0 };
	int code = EXIT_OK;

	if (!*names)
		list_all();
	for (; *names; names++) {
		search.least = 0;
		if (explain(*names, &search))
			continue;
		code = command_error(ME,
			search.least ? "unknown name '%s': did you mean '%s'?"
				     : "unknown name '%s'; `anechoic explain` lists all",
			*names, search.near);
	}
	return finish_output(ME, stdout, code);
}

static int explain_main(int argc, char **argv)
{
	int code = parse_options(&help, NULL, 0, argc, argv);

	if (code >= 0)
		return code;
	readmes.n = unpack_length(packed, sizeof packed);
	readmes.text = new_array(readmes.n, 1);
	unpack(packed, sizeof packed, readmes.text, readmes.n);
	code = explain_all(argv + optind);
	free(readmes.text);
	return code;
}

const struct command command_explain = { ME, explain_main,
	"what a probe, a row or a value is, and what misleads it" };
