# SPDX-License-Identifier: MIT
# anechoic: make, make run, make test, make usb DEV=..., make install. See README.md.

B       := build
CC      := gcc
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# Freestanding code, the same objects in the UEFI image and in the Linux program. For size: nothing
# of it is timed; what is timed is assembly, and the leaves in section .kern have flags of their own.
FREE := -Oz -std=gnu11 -ffreestanding -fPIE -fno-strict-aliasing -fno-math-errno -mno-red-zone \
        -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables -fno-jump-tables \
        -fvisibility=hidden -ffunction-sections -malign-data=abi \
        -ffile-prefix-map=$(CURDIR)=. -Wall -Wextra -Werror -I. -MMD -MP
EFI  := $(FREE) -fshort-wchar -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi \
        -isystem /usr/include/efi/x86_64
# C in section .kern: one multiply-add, call or load at a time, as written; no library calls.
LEAF := -O2 -fno-tree-vectorize -fno-unroll-loops -fno-optimize-sibling-calls \
        -fno-tree-loop-distribute-patterns -ffp-contract=off
HOST := -O2 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -I$B -MMD -MP
SAN  := $(HOST) -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
        -fno-omit-frame-pointer

MEASURE := $(patsubst %.c,$B/%.o,$(wildcard probes/*.c)) $B/kern.o
KERN   := $(patsubst %,$B/%.o,$(basename $(wildcard probes/kern/*.S probes/kern/*.c)))
KERNEL := $(patsubst %,$B/%.o,$(basename $(wildcard kernel/*.S kernel/*.c)))
LOADER := $(patsubst %,$B/%.o,$(basename $(wildcard efi/*.S efi/*.c)))
HOSTED := $(patsubst %.c,$B/%.o,$(wildcard host/*.c report/*.c))
TOOLS  := $B/readable $B/screentext $B/disturb $B/kam
# The string functions of the sanitizers' library are tested, not ours.
TESTED := $(filter-out host/main.c kernel/main.c kernel/mem.c,\
            $(wildcard probes/*.c host/*.c report/*.c kernel/*.c kernel/*.S))
FUZZED := $(wildcard probes/*.c report/*.c) host/show_row.c kernel/config.c
FUZZ   := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
UNITS  := $(patsubst %.c,$B/san/%,$(wildcard tests/unit/*_test.c)) \
          $(FUZZ:%=$B/san/tests/fuzz/%_replay_test)

.PHONY: all unit fuzz tests test run usb bench install clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $B/anechoic $(if $(wildcard kernel/main.c),$B/anechoic.img)

include tests/kam/rules.mk

# --- the measuring code ---
$B/probes/%.o: probes/%.c
	@mkdir -p $(@D)
	$(CC) $(FREE) -c -o $@ $<

# Builds cycles of millions of nodes; nothing aligned, the image is short of a page.
$B/probes/chain.o $B/probes/random.o: FREE += -O2 -falign-functions=1 -falign-loops=1 -falign-jumps=1

$B/probes/kern/%.o: probes/kern/%.S
	@mkdir -p $(@D)
	$(CC) $(FREE) -c -o $@ $<

$B/probes/kern/%.o: probes/kern/%.c
	@mkdir -p $(@D)
	$(CC) $(FREE) $(LEAF) -c -o $@ $<

$B/kern.o: linker/kern.lds $(sort $(KERN))
	ld -r -T $< -o $@ $(sort $(KERN))
	objcopy --set-section-alignment .kern=4096 $@
	@! readelf -rW $@ | grep -q R_X86_64 || { echo "$@: a kernel has a relocation" >&2; exit 1; }

# --- the image: linked as ELF, checked, given its base relocations, written out flat ---
$B/kernel/%.o: kernel/%.c | $B/version.h
	@mkdir -p $(@D)
	$(CC) $(FREE) -I$B -c -o $@ $<

$B/kernel/%.o: kernel/%.S
	@mkdir -p $(@D)
	$(CC) $(FREE) -c -o $@ $<

$B/efi/%.o: efi/%.c
	@mkdir -p $(@D)
	$(CC) $(EFI) -c -o $@ $<

$B/efi/%.o: efi/%.S
	@mkdir -p $(@D)
	$(CC) $(EFI) -c -o $@ $<

IMAGE := ld -pie --no-dynamic-linker -nostdlib --gc-sections --no-undefined -z norelro -z noexecstack \
         -T linker/image.lds

$B/unmoved.elf: linker/image.lds $(LOADER) $(KERNEL) $(MEASURE)
	$(IMAGE) -o $@ $(filter %.o,$^)

$B/reloc.S: $B/unmoved.elf linker/reloc.awk
	readelf -rW $< | LC_ALL=C awk -f linker/reloc.awk >$@

$B/image.elf: linker/image.lds $(LOADER) $(KERNEL) $(MEASURE) $B/reloc.o
	$(IMAGE) -o $@ $(filter %.o,$^)
	@readelf -rW $@ | LC_ALL=C awk -f linker/reloc.awk | cmp - $B/reloc.S
	@! nm -u $@ | grep . || { echo "$@: undefined symbols" >&2; exit 1; }

$B/reloc.o: $B/reloc.S
	$(CC) -c -o $@ $<

$B/BOOTX64.EFI: $B/image.elf
	objcopy -O binary -j .header -j .text -j .kern -j .rodata -j .sbat -j .data -j .reloc $< $@

$B/default-config: $(addsuffix .c,tools/default-config kernel/config probes/settings probes/options probes/text)
	$(CC) $(HOST) -o $@ $(filter %.c,$^)

$B/anechoic.cfg: $B/default-config
	$< >$@

$B/anechoic.img: $B/BOOTX64.EFI $B/anechoic.cfg tools/make-image
	tools/make-image $@ $B/BOOTX64.EFI $B/anechoic.cfg

# --- the Linux program ---
$B/version.h: FORCE
	@mkdir -p $(@D)
	@echo '#define VERSION "$(VERSION)"' | cmp -s - $@ || echo '#define VERSION "$(VERSION)"' >$@

$B/host/%.o: host/%.c | $B/version.h
	@mkdir -p $(@D)
	$(CC) $(HOST) -c -o $@ $<

$B/report/%.o: report/%.c
	@mkdir -p $(@D)
	$(CC) $(HOST) -c -o $@ $<

$B/probes.a: $(filter-out $B/kern.o,$(MEASURE))
	@rm -f $@
	ar rcs $@ $^

$B/anechoic: $(HOSTED) $B/kern.o $B/probes.a
	$(CC) -o $@ $^ -ljansson -lpthread -lm -z noexecstack

# --- unit tests: the freestanding and the reading code under sanitizers ---
unit: $(UNITS)
	tools/test-all $(UNITS)

# --- fuzzing: 60 s of each target, from the corpus that the unit tests replay ---
FUZZER := clang -O1 -g -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I. -I$B -MMD -MP \
          -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

fuzz:
	tools/setup fuzz
	$(MAKE) -j$$(nproc) $(FUZZ:%=$B/fuzz/%)
	@set -e; for t in $(FUZZ); do mkdir -p $B/fuzz/found-$$t; \
		$B/fuzz/$$t -max_total_time=60 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=$B/fuzz/$$t- $B/fuzz/found-$$t tests/fuzz/corpus/$$t; done

$B/fuzz/o/%.o: %.c | $B/version.h
	@mkdir -p $(@D)
	$(FUZZER) -c -o $@ $<

$B/fuzz/fuzzed.a: $(patsubst %.c,$B/fuzz/o/%.o,$(FUZZED))
	@rm -f $@
	ar rcsP $@ $^

$B/fuzz/%: $B/fuzz/o/tests/fuzz/%_fuzz.o $B/fuzz/fuzzed.a $B/kern.o
	clang -fsanitize=fuzzer,address,undefined -o $@ $^ -ljansson -lpthread -lm -z noexecstack

# Builds all that the tests need; then runs whatever is there (see tools/test-all).
tests: all $(UNITS) $(TOOLS)

test:
	tools/setup test
	$(MAKE) -j$$(nproc) tests
	tools/test-all

# --- for people ---
run:
	tools/setup run
	$(MAKE) -j$$(nproc) all $B/readable
	tools/run

usb:
	tools/setup build
	$(MAKE) -j$$(nproc) all
	tools/usb $(DEV)

$B/readable: tools/readable.c
	$(CC) $(HOST) -o $@ $<

$B/screentext: tests/boot/screentext.c kernel/font.c
	$(CC) $(HOST) -o $@ $^

$B/disturb: tests/cli/disturb.c
	$(CC) $(HOST) -o $@ $<

bench:
	tools/setup bench
	$(MAKE) -j$$(nproc) $B/anechoic
	tools/bench

$B/san/%.o: %.c | $B/version.h
	@mkdir -p $(@D)
	$(CC) $(SAN) -c -o $@ $<

$B/san/kernel/%.o: kernel/%.S
	@mkdir -p $(@D)
	$(CC) $(SAN) -c -o $@ $<

$B/san/tested.a: $(patsubst %,$B/san/%.o,$(basename $(TESTED)))
	@rm -f $@
	ar rcsP $@ $^ # P: two files of one name in two directories

$B/san/tests/unit/%_test: $B/san/tests/unit/%_test.o $B/san/tested.a $B/kern.o
	$(CC) $(SAN) -o $@ $^ -lcmocka -ljansson -lpthread -lm -z noexecstack

$B/san/tests/fuzz/%_replay_test: $B/san/tests/fuzz/%_fuzz.o $B/san/tests/fuzz/replay.o \
		$B/san/tested.a $B/kern.o
	$(CC) $(SAN) -o $@ $^ -ljansson -lpthread -lm -z noexecstack

PREFIX := /usr/local

install: $B/anechoic
	install -D -m 755 $B/anechoic $(DESTDIR)$(PREFIX)/bin/anechoic
	install -D -m 644 docs/anechoic.1 $(DESTDIR)$(PREFIX)/share/man/man1/anechoic.1
	install -D -m 644 completions/anechoic \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/anechoic

clean:
	rm -rf $B

-include $(shell find $B -name '*.d' 2>/dev/null)
