/* SPDX-License-Identifier: MIT */
/* What the ways to a server share. */
#include "efi/server.h"

char server_said[64];

/* The firmware gives up by itself before this is over, or not at all. */
#define STUCK_SECONDS 30

static EFI_EVENT timer, stuck;

/*
 * A call of the firmware's network has not returned: EDK II (2022.11) reads an HTTP header without
 * end for ever. This runs in its timer interrupt, and can only say so.
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

EFI_STATUS server_clock_start(UINTN bytes)
{
	EFI_STATUS status = make_timers();
	UINT64 seconds = SERVER_SECONDS + bytes / SERVER_PACE;

	if (EFI_ERROR(status))
		return status;
	fw.boot->CheckEvent(timer); /* it may have run out for the file before */
	fw.boot->SetTimer(stuck, TimerRelative, (seconds + STUCK_SECONDS) * 10000000);
	return fw.boot->SetTimer(timer, TimerRelative, seconds * 10000000);
}

void server_clock_stop(void)
{
	if (stuck)
		fw.boot->SetTimer(stuck, TimerCancel, 0);
}

/* CheckEvent takes the signal away: it is kept. */
bool server_is_late(void)
{
	if (EFI_ERROR(fw.boot->CheckEvent(timer)))
		return false;
	fw.boot->SignalEvent(timer);
	return true;
}

EFI_SERVICE_BINDING *server_service(EFI_GUID *guid)
{
	static EFI_GUID device_path_guid = EFI_DEVICE_PATH_PROTOCOL_GUID;
	EFI_SERVICE_BINDING *service;
	EFI_DEVICE_PATH *path;
	EFI_HANDLE card;

	if (EFI_ERROR(fw.boot->HandleProtocol(fw.loaded->DeviceHandle, &device_path_guid,
		    (void **)&path)) ||
		EFI_ERROR(fw.boot->LocateDevicePath(guid, &path, &card)) ||
		EFI_ERROR(fw.boot->HandleProtocol(card, guid, (void **)&service)))
		return NULL;
	return service;
}
