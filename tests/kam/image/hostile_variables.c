/* SPDX-License-Identifier: MIT */
/* Variables; what SetVariable does after the exit. */
#include <stdlib.h>
#include <string.h>

#include "lib/stored_result.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/fake_efi.h"
#include "tests/kam/image/hostile.h"

#define HIGH 0x140000000ull /* 5 GiB: no entry of the map describes it */
#define MS   1000000ull

#define INVALID_OPCODE 6

static efi_service_fn *set_before;
static uint64_t number, calls;
static unsigned replaced;

static bool has_left(const struct full_system *w)
{
	return w->exits > 1;
}

static void replace_set(struct full_system *w, efi_service_fn *does, uint64_t n)
{
	hostile_alone(w, &replaced, "SetVariable");
	number = n;
	calls = 0;
	set_before = efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, SetVariable), does);
}

static uint64_t refuses(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return has_left(w) && calls++ >= number ? EFI_OUT_OF_RESOURCES : set_before(w, a);
}

static uint64_t is_slow(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (has_left(w))
		system_pass_time(w, number * MS);
	return set_before(w, a);
}

static uint64_t lies(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return has_left(w) ? EFI_SUCCESS : set_before(w, a);
}

/* The addresses that it touches first. */
static struct {
	uint64_t address;
	enum cpu_access how;
} touched[4];
static unsigned touches, touched_start;
static efi_service_fn *untouched;

static uint64_t touches_all(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	unsigned i;

	for (i = 0; has_left(w) && i < touches; i++)
		if (!system_touch(w, touched[i].address, touched[i].how))
			return EFI_SUCCESS;
	return untouched(w, a);
}

static void add_touch(struct full_system *w, uint64_t address, enum cpu_access how)
{
	if (touched_start != w->kept.starts + 1) {
		touched_start = w->kept.starts + 1;
		touches = 0;
		untouched = efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, SetVariable),
			touches_all);
	}
	touched[touches].address = address;
	touched[touches++].how = how;
}

static uint64_t faults(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (!has_left(w) || calls++ < number)
		return set_before(w, a);
	system_raise(w, INVALID_OPCODE, 0);
	return EFI_SUCCESS;
}

static uint64_t hangs(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	if (!has_left(w))
		return set_before(w, a);
	system_end(w, "hang in SetVariable");
	return EFI_SUCCESS;
}

static void set_refuses(struct full_system *w, uint64_t n)
{
	replace_set(w, refuses, n);
}

static void set_is_slow(struct full_system *w, uint64_t n)
{
	replace_set(w, is_slow, n);
}

static void set_lies(struct full_system *w, uint64_t n)
{
	replace_set(w, lies, n);
}

static void set_writes_472(struct full_system *w, uint64_t n)
{
	add_touch(w, 0x472, TO_WRITE);
}

static void set_runs_boot_code(struct full_system *w, uint64_t n)
{
	uint64_t page;

	if (!memmap_take(&w->map, MEMMAP_ANY, MEMMAP_BOOT_CODE, 1, &page))
		fatal("no memory for code of boot services");
	add_touch(w, page, TO_EXECUTE);
}

static void set_reads_high(struct full_system *w, uint64_t n)
{
	add_touch(w, HIGH, TO_READ);
}

static void set_faults(struct full_system *w, uint64_t n)
{
	replace_set(w, faults, n);
}

static void set_hangs(struct full_system *w, uint64_t n)
{
	replace_set(w, hangs, n);
}

/* --- the store --- */

static uint64_t query_unsupported(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return EFI_UNSUPPORTED;
}

static uint64_t query_lies(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	*efi_number(w, a[1]) = *efi_number(w, a[2]) = *efi_number(w, a[3]) = 1ull << 30;
	return EFI_SUCCESS;
}

static void replace_query(struct full_system *w, efi_service_fn *does)
{
	efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, QueryVariableInfo), does);
}

static void no_query(struct full_system *w, uint64_t n)
{
	replace_query(w, query_unsupported);
}

/* The store is small: what is believed shows when it is full. */
static void lie_of_space(struct full_system *w, uint64_t n)
{
	if (!w->kept.starts)
		w->kept.store_bytes = 2048;
	replace_query(w, query_lies);
}

static void forget_all(struct full_system *w, uint64_t n)
{
	variables_forget(&w->kept);
}

/* Never give back the space of a variable that is rewritten or deleted. */
static uint64_t loses(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	uint64_t took = variable_bytes(w, a), status;

	w->kept.lost_bytes += took;
	status = set_before(w, a);
	if (status)
		w->kept.lost_bytes -= took;
	return status;
}

static void never_reclaim(struct full_system *w, uint64_t n)
{
	if (!w->kept.starts)
		w->kept.store_bytes = n;
	replace_set(w, loses, n);
}

static void leave_few(struct full_system *w, uint64_t n)
{
	if (!w->kept.starts)
		w->kept.lost_bytes = variables_left(&w->kept) - n;
}

/* --- the setup --- */

static void put_variable(struct full_system *w, const uint16_t *name, size_t name_bytes,
	EFI_GUID guid, const uint8_t *data, size_t bytes)
{
	struct efi_variable *v = w->kept.variable;

	while (*v->name)
		v++;
	memcpy(v->name, name, name_bytes);
	memcpy(v->guid, &guid, sizeof(v->guid));
	v->attributes = EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS |
		EFI_VARIABLE_RUNTIME_ACCESS;
	v->data = malloc(bytes);
	if (!v->data)
		fatal("no memory for a variable");
	memcpy(v->data, data, bytes);
	v->bytes = bytes;
}

static const uint16_t indications[] = u"OsIndications";
static efi_service_fn *get_before;

static bool begins(struct full_system *w, const uint64_t a[EFI_ARGS], const uint16_t *with,
	size_t n)
{
	return !memcmp(ram_at(&w->ram, a[0], n), with, n);
}

static uint64_t offers_nothing(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	static const uint16_t name[] = u"OsIndicationsSupported";

	return begins(w, a, name, sizeof(name)) ? EFI_NOT_FOUND : get_before(w, a);
}

static void offer_no_setup(struct full_system *w, uint64_t n)
{
	get_before = efi_replace(w, EFI_RUNTIME, offsetof(EFI_RUNTIME_SERVICES, GetVariable),
		offers_nothing);
}

static uint64_t refuses_setup(struct full_system *w, const uint64_t a[EFI_ARGS])
{
	return begins(w, a, indications, sizeof(indications)) ? EFI_WRITE_PROTECTED
							      : set_before(w, a);
}

static void refuse_setup(struct full_system *w, uint64_t n)
{
	replace_set(w, refuses_setup, n);
}

static void indications_at_end(struct full_system *w)
{
	const struct efi_variable *v = w->kept.variable;

	while (v < w->kept.variable + VARIABLES &&
		memcmp(v->name, indications, sizeof(indications)))
		v++;
	if (v == w->kept.variable + VARIABLES || v->bytes != 8 || !(v->data[0] & 4))
		system_wrong(w, "another program's bit of OsIndications is gone");
}

/* 4: that a capsule file is there to be taken (UEFI 2.10, 8.5.4). */
static void ask_already(struct full_system *w, uint64_t n)
{
	static const uint8_t bits[8] = { 4 };
	EFI_GUID global = EFI_GLOBAL_VARIABLE;

	w->at_end = indications_at_end;
	if (!w->kept.starts)
		put_variable(w, indications, sizeof(indications), global, bits, sizeof(bits));
}

/* --- boot entries --- */

/* Attributes, bytes of the path, the description, the end of the path: UEFI 2.10, 3.1.3. */
static const uint8_t entry_of_others[] = { 1, 0, 0, 0, 4, 0, 'o', 0, 's', 0, 0, 0, 0x7f, 0xff, 4,
	0 };
static const uint16_t entry_name[] = u"Boot0005", note_name[] = u"AnechoicEntry";
static const uint8_t entry_number[] = { 5, 0 };

static void entry_at_end(struct full_system *w)
{
	const struct efi_variable *v = w->kept.variable;

	while (v < w->kept.variable + VARIABLES && memcmp(v->name, entry_name, sizeof(entry_name)))
		v++;
	if (v == w->kept.variable + VARIABLES || v->bytes != sizeof(entry_of_others) ||
		memcmp(v->data, entry_of_others, v->bytes))
		system_wrong(w, "another program's boot entry is not what it was");
}

static void reuse_entry(struct full_system *w, uint64_t n)
{
	EFI_GUID global = EFI_GLOBAL_VARIABLE, anechoic = STORED_RESULT_GUID(GUID_FIELDS);

	w->at_end = entry_at_end;
	if (w->kept.starts)
		return;
	put_variable(w, note_name, sizeof(note_name), anechoic, entry_number, sizeof(entry_number));
	put_variable(w, entry_name, sizeof(entry_name), global, entry_of_others,
		sizeof(entry_of_others));
}

const struct misbehaviour hostile_variables[] = {
	{ "setvar-refuses", set_refuses, 0 },
	{ "setvar-slow", set_is_slow, 200 },
	{ "setvar-lies", set_lies, 0 },
	{ "setvar-writes-472", set_writes_472, 0 },
	{ "setvar-runs-boot-code", set_runs_boot_code, 0 },
	{ "setvar-reads-high", set_reads_high, 0 },
	{ "setvar-faults", set_faults, 0 },
	{ "setvar-hangs", set_hangs, 0 },
	{ "query-unsupported", no_query, 0 },
	{ "query-lies", lie_of_space, 0 },
	{ "store-forgets", forget_all, 0 },
	{ "store-never-reclaims", never_reclaim, 40000 },
	{ "store-nearly-full", leave_few, 3000 },
	{ "setup-none", offer_no_setup, 0 },
	{ "setup-refused", refuse_setup, 0 },
	{ "indications-used", ask_already, 0 },
	{ "entry-reused", reuse_entry, 0 },
	{ 0 },
};
