/* SPDX-License-Identifier: MIT */
/* Non-volatile variables and reset: the runtime services, which outlive the firmware's exit. */
#include "efi/config_tables.h"

#include <string.h>

#define NAME 64
#define LASTING                                                                                    \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static EFI_GUID ours = { 0x52b20cc6, 0x8b4e, 0x4a3f,
	{ 0x9d, 0x1e, 0x6f, 0x0c, 0x5b, 0x7a, 0x21, 0xe4 } };
static EFI_GUID global = EFI_GLOBAL_VARIABLE;

static uint64_t get(const char *name, void *data, size_t *n)
{
	CHAR16 wide[NAME];
	UINT32 attributes;
	UINTN bytes = *n;

	text_widen(wide, NAME, name);
	EFI_STATUS status = fw.runtime->GetVariable(wide, &ours, &attributes, &bytes, data);
	*n = bytes;
	return status;
}

static uint64_t set(const char *name, const void *data, size_t n)
{
	CHAR16 wide[NAME];

	text_widen(wide, NAME, name);
	return fw.runtime->SetVariable(wide, &ours, LASTING, n, (void *)data);
}

static uint64_t boot_next(uint16_t option)
{
	return fw.runtime->SetVariable(L"BootNext", &global, LASTING, sizeof(option), &option);
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

static void ask_store(struct variable_store *s)
{
	UINT64 total, remaining, most;

	/* QueryVariableInfo came with UEFI 2.0. */
	if (fw.system->Hdr.Revision < 0x20000) {
		s->why_not = "the firmware is older than UEFI 2.0";
		return;
	}
	EFI_STATUS status = fw.runtime->QueryVariableInfo(LASTING, &total, &remaining, &most);
	if (EFI_ERROR(status)) {
		s->why_not = "the firmware does not tell the size of its variable store";
		return;
	}
	s->total = total;
	s->remaining = remaining;
	s->most = most;
	s->usable = most > 0;
	s->usable_at_runtime = s->usable && set_at_runtime();
	if (!s->usable)
		s->why_not = "the firmware stores no variables";
	else if (!s->usable_at_runtime)
		s->why_not = "the firmware sets no variables after ExitBootServices";
}

void variables_open(struct machine *m)
{
	UINTN bytes = sizeof(m->boot_current);
	UINT32 attributes;

	m->variable_get = get;
	m->variable_set = set;
	m->boot_next = boot_next;
	m->reset = reset;
	ask_store(&m->store);
	m->boot_current_known = !EFI_ERROR(fw.runtime->GetVariable(L"BootCurrent", &global,
		&attributes, &bytes, &m->boot_current));
}
