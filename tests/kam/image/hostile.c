/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/hostile.h"

enum { KAM = 1, EFI = 2 };

/* The names that this form has by the shared table. */
static const struct {
	const char *name;
	unsigned forms;
} shared[] = {
#define M(name, forms, what, source, lacks, before) { name, forms },
#include "tests/hostile/misbehaviours.def"
#undef M
};

static const struct misbehaviour *const families[] = { hostile_services, hostile_memory,
	hostile_processor, hostile_others, hostile_usb, hostile_devices, hostile_acpi,
	hostile_variables, hostile_files };

static const struct misbehaviour *find(const char *name)
{
	const struct misbehaviour *m;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(*families); i++)
		for (m = families[i]; m->name; m++)
			if (!strcmp(m->name, name))
				return m;
	return NULL;
}

static bool is_shared(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (!strcmp(shared[i].name, name))
			return shared[i].forms & KAM;
	return false;
}

static void prepare_one(struct full_system *w, char *name)
{
	char *number = strchr(name, '='), *end = "";
	const struct misbehaviour *m;

	if (number)
		*number++ = 0;
	m = find(name);
	if (!m || !is_shared(name))
		fatal("--hostile %s: no such misbehaviour; --hostile list has them", name);
	m->prepare(w, number ? strtoull(number, &end, 10) : m->usual);
	if (*end)
		fatal("--hostile %s=%s: not a number", name, number);
}

void hostile_prepare(struct full_system *w, const char *names)
{
	char *copy = strdup(names), *rest = copy, *name;

	if (!copy)
		fatal("no memory for text");
	while ((name = strsep(&rest, ",")))
		if (strcmp(name, "none"))
			prepare_one(w, name);
	free(copy);
}

void hostile_alone(const struct full_system *w, unsigned *last, const char *what)
{
	if (*last == w->kept.starts + 1)
		fatal("--hostile: two misbehaviours of %s at once", what);
	*last = w->kept.starts + 1;
}

void hostile_list(void)
{
	size_t i;

	for (i = 0; i < sizeof(shared) / sizeof(*shared); i++)
		if (shared[i].forms & KAM)
			printf("%s%s\n", shared[i].name,
				find(shared[i].name) ? "" : " (not written)");
}
