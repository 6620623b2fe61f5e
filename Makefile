# SPDX-License-Identifier: MIT
# anechoic: make, make run, make test, make usb DEV=..., make install. See README.md.

B       := build
CC      := gcc
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# Freestanding code, the same objects in the UEFI image and in the Linux program.
FREE := -O2 -std=gnu11 -ffreestanding -fPIC -fno-strict-aliasing -mno-red-zone \
        -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables \
        -fvisibility=hidden -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror -I. -MMD -MP
EFI  := $(FREE) -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi \
        -isystem /usr/include/efi/x86_64
HOST := -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -MMD -MP

PROBES := $(patsubst %.c,$B/%.o,$(wildcard probes/*.c)) $B/kern.o
KERN   := $(patsubst %,$B/%.o,$(basename $(wildcard probes/kern/*.S probes/kern/*.c)))
KERNEL := $(patsubst %,$B/%.o,$(basename $(wildcard kernel/*.S kernel/*.c)))
LOADER := $(patsubst %,$B/%.o,$(basename $(wildcard efi/*.S efi/*.c)))

.PHONY: all clean
.DELETE_ON_ERROR:

all: $B/kern.o $(PROBES)

# --- the measuring code ---
$B/probes/%.o: probes/%.c
	@mkdir -p $(@D)
	$(CC) $(FREE) -c -o $@ $<

$B/probes/kern/%.o: probes/kern/%.S
	@mkdir -p $(@D)
	$(CC) $(FREE) -c -o $@ $<

$B/kern.o: linker/kern.lds $(sort $(KERN))
	ld -r -T $< -o $@ $(sort $(KERN))
	objcopy --set-section-alignment .kern=4096 $@
	@! readelf -rW $@ | grep -q R_X86_64 || { echo "$@: a kernel has a relocation" >&2; exit 1; }

clean:
	rm -rf $B

-include $(shell find $B -name '*.d' 2>/dev/null)
