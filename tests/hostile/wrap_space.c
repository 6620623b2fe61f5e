/* SPDX-License-Identifier: MIT */
/* The variable store's size, and the answers about it. */
#include <string.h>

#include "lib/stored_result.h"
#include "tests/hostile/hostile_efi.h"

#define TOTAL    65536 /* bytes that it claims to have */
#define OVERHEAD 64    /* bytes of a variable beside its data */

static EFI_GUID space_guid = { 0x6c1d3f0a, 0x52b7, 0x4c8e,
	{ 0x90, 0x31, 0x7a, 0x44, 0xee, 0x0b, 0x15, 0x27 } };
static CHAR16 space_name[] = L"HostileSpace";
#define KEPT                                                                                       \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)

static uint64_t left;   /* bytes */
static bool gives_back; /* the space of what is deleted */
static EFI_STATUS(EFIAPI *next)(CHAR16 *, EFI_GUID *, UINT32, UINTN, void *);

/* Returns the bytes that a variable takes now. */
static uint64_t taken(CHAR16 *name, EFI_GUID *vendor)
{
	UINT32 attributes;
	UINTN bytes = 0;

	return real.runtime->GetVariable(name, vendor, &attributes, &bytes, NULL) ==
			EFI_BUFFER_TOO_SMALL
		? bytes + OVERHEAD
		: 0;
}

static EFI_STATUS EFIAPI set_within(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN bytes,
	void *data)
{
	uint64_t before = taken(name, vendor), after = bytes ? bytes + OVERHEAD : 0;

	if (after > left)
		return EFI_OUT_OF_RESOURCES;
	EFI_STATUS status = next(name, vendor, attributes, bytes, data);
	if (EFI_ERROR(status) || !(attributes & EFI_VARIABLE_NON_VOLATILE))
		return status;
	left = left - after + (gives_back ? before : 0);
	real.runtime->SetVariable(space_name, &space_guid, KEPT, sizeof left, &left);
	return status;
}

static EFI_STATUS EFIAPI query_left(UINT32 attributes, UINT64 *total, UINT64 *remaining,
	UINT64 *largest)
{
	*total = TOTAL;
	*remaining = left;
	*largest = left;
	return EFI_SUCCESS;
}

/* The space that an earlier start left counts on. */
static void limit(uint64_t n)
{
	UINT32 attributes;
	UINTN bytes = sizeof left;

	left = n;
	real.runtime->GetVariable(space_name, &space_guid, &attributes, &bytes, &left);
	next = given.runtime.SetVariable;
	given.runtime.SetVariable = set_within;
	given.runtime.QueryVariableInfo = query_left;
}

static void begin_nearly_full(uint64_t n)
{
	gives_back = true;
	limit(n);
}

static EFI_STATUS EFIAPI query_unsupported(UINT32 attributes, UINT64 *total, UINT64 *remaining,
	UINT64 *largest)
{
	return EFI_UNSUPPORTED;
}

static EFI_STATUS EFIAPI query_lies(UINT32 attributes, UINT64 *total, UINT64 *remaining,
	UINT64 *largest)
{
	*total = *remaining = *largest = 1ULL << 30;
	return EFI_SUCCESS;
}

static void begin_unsupported(uint64_t n)
{
	given.runtime.QueryVariableInfo = query_unsupported;
}

static void begin_lies(uint64_t n)
{
	given.runtime.QueryVariableInfo = query_lies;
}

/* Forgets what the image left, and the way home: all of it is set again by who needs it. */
static void begin_forgets(uint64_t n)
{
	static EFI_GUID ours = STORED_RESULT_GUID(GUID_FIELDS);
	CHAR16 name[128] = { 0 };
	EFI_GUID vendor = { 0 };
	UINTN bytes = sizeof name;

	while (!EFI_ERROR(real.runtime->GetNextVariableName(&bytes, name, &vendor))) {
		if (memcmp(&vendor, &ours, sizeof ours) == 0) {
			real.runtime->SetVariable(name, &vendor, 0, 0, NULL);
			name[0] = 0; /* from the beginning */
		}
		bytes = sizeof name;
	}
}

const struct firmware_misbehaviour space_misbehaviours[] = {
	{ "query-unsupported", 0, begin_unsupported },
	{ "query-lies", 0, begin_lies },
	{ "store-forgets", 0, begin_forgets },
	{ "store-never-reclaims", 40000, limit },
	{ "store-nearly-full", 3000, begin_nearly_full },
	{ 0 },
};
