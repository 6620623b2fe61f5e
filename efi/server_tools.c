/* SPDX-License-Identifier: MIT */
/* Common to the ways to a server. */
#include "efi/server.h"

char server_said[64];

/*
 * The firmware gives up by itself before this is over, or not at all: EDK II waits 60 s for a
 * connection (HTTP_CONNECTION_TIMEOUT), in the call that begins it.
 */
#define STUCK_SECONDS 60

static EFI_EVENT timer, stuck;
static EFI_HANDLE child; /* instance of a service, for one file; NULL: none */

/*
 * Report that a call of the firmware's network has not returned: EDK II (2022.11) reads an HTTP
 * header without end for ever. This runs in its timer interrupt, and can do no more than report.
 */
static void EFIAPI say_stuck(EFI_EVENT event, void *context)
{
	print_wide(L"\r\nthe firmware's network does not come back from the boot server:\r\n"
		   L"switch this machine off, and look at what that server answers\r\n");
}

static EFI_STATUS make_timers(void)
{
	EFI_STATUS status = timer
		? EFI_SUCCESS
		: fw.boot->CreateEvent(EVT_TIMER, TPL_CALLBACK, NULL, NULL, &timer);

	if (EFI_ERROR(status) || stuck)
		return status;
	return fw.boot->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL, TPL_NOTIFY, say_stuck, NULL,
		&stuck);
}

static EFI_STATUS start_clock(UINTN bytes)
{
	EFI_STATUS status = make_timers();
	UINT64 seconds = SERVER_SECONDS + bytes / SERVER_PACE;

	if (EFI_ERROR(status))
		return status;
	fw.boot->CheckEvent(timer); /* clears the signal of the file before */
	fw.boot->SetTimer(stuck, TimerRelative, (seconds + STUCK_SECONDS) * 10000000);
	return fw.boot->SetTimer(timer, TimerRelative, seconds * 10000000);
}

EFI_STATUS server_begin(EFI_SERVICE_BINDING *service, EFI_GUID *protocol, UINTN bytes,
	void **interface)
{
	child = NULL;
	server_said[0] = 0;
	EFI_STATUS status = start_clock(bytes);
	if (!EFI_ERROR(status))
		status = service->CreateChild(service, &child);
	if (!EFI_ERROR(status))
		status = fw.boot->HandleProtocol(child, protocol, interface);
	return status;
}

void server_end(EFI_SERVICE_BINDING *service)
{
	if (child)
		service->DestroyChild(service, child);
	if (stuck)
		fw.boot->SetTimer(stuck, TimerCancel, 0);
}

/* Returns true if the time is over. CheckEvent clears the signal, so set it again. */
bool server_is_late(void)
{
	if (EFI_ERROR(fw.boot->CheckEvent(timer)))
		return false;
	fw.boot->SignalEvent(timer);
	return true;
}

EFI_SERVICE_BINDING *server_service(EFI_GUID *guid)
{
	EFI_DEVICE_PATH *path = path_of(fw.loaded->DeviceHandle);
	EFI_HANDLE card;

	if (!path || EFI_ERROR(fw.boot->LocateDevicePath(guid, &path, &card)))
		return NULL;
	return protocol_of(card, guid);
}
