/* SPDX-License-Identifier: MIT */
/* Non-volatile variables and reset: the runtime services, which outlive the firmware's exit. */
#include "efi/config_file.h"

#include <string.h>

#include "lib/stored_result.h"

#define NAME_CHARACTERS 64
#define NON_VOLATILE                                                                               \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static EFI_GUID anechoic = STORED_RESULT_GUID(GUID_FIELDS);

static uint64_t get(const char *name, void *data, size_t *n)
{
	CHAR16 wide[NAME_CHARACTERS];
	UINT32 attributes;
	UINTN bytes = *n;

	text_widen(wide, NAME_CHARACTERS, name);
	EFI_STATUS status = fw.runtime->GetVariable(wide, &anechoic, &attributes, &bytes, data);
	*n = bytes;
	return status;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	CHAR16 wide[NAME_CHARACTERS];

	text_widen(wide, NAME_CHARACTERS, name);
	return fw.runtime->SetVariable(wide, &anechoic, NON_VOLATILE, n, (void *)data);
}

static void reset(enum reset_kind kind)
{
	static const EFI_RESET_TYPE types[] = {
		[RESET_WARM] = EfiResetWarm,
		[RESET_COLD] = EfiResetCold,
		[RESET_SHUTDOWN] = EfiResetShutdown,
	};

	fw.runtime->ResetSystem(types[kind], EFI_SUCCESS, 0, NULL);
}

/* EFI_RT_PROPERTIES_TABLE (UEFI 2.10, 4.6.2): without it, all runtime services are there. */
static bool set_at_runtime(void)
{
	static const EFI_GUID guid = { 0xeb66918a, 0x7eef, 0x402a,
		{ 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 } };
	enum { SET_VARIABLE = 0x40 };
	struct {
		UINT16 version, length;
		UINT32 supported;
	} properties;

	const void *table = table_find(&guid);
	if (!table)
		return true;
	memcpy(&properties, table, sizeof(properties));
	return properties.length < sizeof(properties) || (properties.supported & SET_VARIABLE);
}

/* QueryVariableInfo came with UEFI 2.0. Where it fails, what was known stays. */
static void query(struct variable_store *s)
{
	UINT64 total, remaining, largest;

	if (fw.system->Hdr.Revision < 0x20000 ||
		EFI_ERROR(fw.runtime->QueryVariableInfo(NON_VOLATILE, &total, &remaining,
			&largest)))
		return;
	s->size_known = true;
	s->total = total;
	s->remaining = remaining;
	s->largest = largest;
}

static void open_store(struct variable_store *s)
{
	query(s);
	s->usable = !s->size_known || s->largest > 0;
	s->usable_at_runtime = s->usable && set_at_runtime();
	if (!s->usable)
		s->why_not = "the firmware stores no variables";
	else if (!s->usable_at_runtime)
		s->why_not = "the firmware sets no variables after ExitBootServices";
}

void variables_open(struct machine *m)
{
	m->variable_get = get;
	m->variable_set = set;
	m->reset = reset;
	m->store_query = query;
	open_store(&m->store);
}
