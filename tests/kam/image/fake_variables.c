/* SPDX-License-Identifier: MIT */
/* A store of variables (UEFI 2.10, 8.2): what is not non-volatile is kept as well. */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_efi.h"

#define VARIABLE_SERVICE(name, does)                                                               \
	{                                                                                          \
		EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, name), does                            \
	}

static size_t name_bytes(const uint16_t *name)
{
	size_t n = 0;

	while (name[n])
		n++;
	return 2 * (n + 1);
}

static bool is_called(const struct efi_variable *v, const uint16_t *name, const uint8_t *guid)
{
	return *v->name && name_bytes(name) == name_bytes(v->name) &&
		!memcmp(v->name, name, name_bytes(name)) && !memcmp(v->guid, guid, sizeof(v->guid));
}

/* The variable at the two addresses that every service is called with; NULL: there is none. */
static struct efi_variable *find(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	const uint16_t *name = ram_at(&w->ram, a[0], 2 * VARIABLE_NAME);
	const uint8_t *guid = ram_at(&w->ram, a[1], 16);
	unsigned i;

	for (i = 0; i < VARIABLES; i++)
		if (is_called(&w->kept.variable[i], name, guid))
			return &w->kept.variable[i];
	return NULL;
}

static uint64_t bytes_of(const struct efi_variable *v)
{
	return *v->name ? VARIABLE_BYTES + name_bytes(v->name) + v->bytes : 0;
}

uint64_t variables_left(const struct kept_over_reset *k)
{
	uint64_t used = k->lost_bytes;
	unsigned i;

	for (i = 0; i < VARIABLES; i++)
		used += bytes_of(&k->variable[i]);
	return used < k->store_bytes ? k->store_bytes - used : 0;
}

uint64_t variable_bytes(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	const struct efi_variable *v = find(w, a);

	return v ? bytes_of(v) : 0;
}

#define TO_SETUP 1 /* of OsIndications and OsIndicationsSupported (UEFI 2.10, 8.5.4) */

static bool is_named(struct full_system *w, const uint64_t a[EFI_ARGS], const uint16_t *name)
{
	return !memcmp(ram_at(&w->ram, a[0], name_bytes(name)), name, name_bytes(name));
}

/* Returns a variable that the firmware makes anew at each start and keeps nowhere. */
static const struct efi_variable *offered(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	static uint8_t bits[8] = { TO_SETUP };
	static const struct efi_variable v = { .data = bits, .bytes = sizeof(bits) };

	return is_named(w, a, u"OsIndicationsSupported") ? &v : NULL;
}

bool variables_want_setup(struct kept_over_reset *k)
{
	static const uint16_t name[] = u"OsIndications";
	unsigned i;

	for (i = 0; i < VARIABLES; i++)
		if (!memcmp(k->variable[i].name, name, sizeof(name)))
			return k->variable[i].bytes == 8 && (k->variable[i].data[0] & TO_SETUP);
	return false;
}

static uint64_t get_variable(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	const struct efi_variable *v = find(w, a);
	uint64_t *bytes = efi_number(w, a[3]), room = *bytes;

	if (!v)
		v = offered(w, a);
	if (!v)
		return EFI_NOT_FOUND;
	if (a[2])
		*(uint32_t *)ram_at(&w->ram, a[2], 4) = v->attributes;
	*bytes = v->bytes;
	if (room < v->bytes)
		return EFI_BUFFER_TOO_SMALL;
	memcpy(ram_at(&w->ram, a[4], v->bytes), v->data, v->bytes);
	return EFI_SUCCESS;
}

static void forget(struct efi_variable *v)
{
	free(v->data);
	*v = (struct efi_variable){ .data = NULL };
}

static struct efi_variable *make(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	const uint16_t *name = ram_at(&w->ram, a[0], 2 * VARIABLE_NAME);
	struct efi_variable *v = w->kept.variable;

	if (name_bytes(name) > sizeof(v->name))
		fatal("the name of a variable has more than %d characters", VARIABLE_NAME);
	while (v < w->kept.variable + VARIABLES && *v->name)
		v++;
	if (v == w->kept.variable + VARIABLES)
		fatal("more than %d variables", VARIABLES);
	memcpy(v->name, name, name_bytes(name));
	memcpy(v->guid, ram_at(&w->ram, a[1], 16), 16);
	return v;
}

static uint64_t set_variable(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	struct efi_variable *v = find(w, a);
	uint64_t bytes = a[3];

	system_progress(w);
	if (v && (!bytes || !a[2]))
		forget(v);
	if (!bytes || !a[2])
		return v ? EFI_SUCCESS : EFI_NOT_FOUND;
	if (variables_left(&w->kept) + (v ? v->bytes : 0) <
		bytes + VARIABLE_BYTES + 2 * VARIABLE_NAME)
		return EFI_OUT_OF_RESOURCES;
	if (!v)
		v = make(w, a);
	v->attributes = (uint32_t)a[2];
	v->data = realloc(v->data, bytes);
	if (!v->data)
		fatal("no memory for a variable of %lu bytes", bytes);
	memcpy(v->data, ram_at(&w->ram, a[4], bytes), bytes);
	v->bytes = bytes;
	return EFI_SUCCESS;
}

static uint64_t query_variable_info(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	*efi_number(w, a[1]) = w->kept.store_bytes;
	*efi_number(w, a[2]) = variables_left(&w->kept);
	*efi_number(w, a[3]) = STORE_BYTES / 8;
	return EFI_SUCCESS;
}

const struct efi_service efi_variable_services[] = {
	VARIABLE_SERVICE(GetVariable, get_variable),
	VARIABLE_SERVICE(SetVariable, set_variable),
	VARIABLE_SERVICE(QueryVariableInfo, query_variable_info),
	{ 0 },
};

void variables_forget(struct kept_over_reset *k)
{
	unsigned i;

	for (i = 0; i < VARIABLES; i++)
		forget(&k->variable[i]);
}

void kept_free(struct kept_over_reset *k)
{
	unsigned i;

	for (i = 0; i < EFI_FILES_MOST; i++)
		free(k->file[i].data);
	variables_forget(k);
}
