# SPDX-License-Identifier: MIT
# The known-answer machine: build/kam, and the unit tests of its model.

MODEL := $(patsubst %,$B/san/tests/kam/%.o,branch cache calendar clock die memory model order \
         prefetch recall translate)
# The parts of layer B that need no Unicorn.
FAKE  := $(patsubst %,$B/san/tests/kam/%.o,die image load memmap ram seal walk)
JUDGE := $(MODEL) $(filter-out $(MODEL),$(FAKE)) $(patsubst %,$B/san/tests/kam/%.o,blocks check cpu \
         cpuid declare decode efi efi_files efi_services engine hidden host main rates registers whole \
         whole_gate \
         whole_ports whole_processor)
# Every fault of tests/kam/mutations must be caught.
mutants: $B/kam $B/BOOTX64.EFI
	tests/kam/mutants

.PHONY: mutants

UNITS += $(patsubst %.c,$B/san/%,$(wildcard tests/kam/*_test.c))

# The model is most of the time: it is tested with sanitizers, and runs fast. The probes have the one
# for undefined behaviour; that for addresses would take part in each of Unicorn's many allocations.
$B/judge/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST) -O3 -fno-tree-loop-distribute-patterns $(UBSAN) -c -o $@ $<

$B/judge/probes/%.o: UBSAN := -O1 -fsanitize=undefined -fno-sanitize-recover=undefined

$(patsubst %,$B/judge/tests/kam/%.o,efi efi_files efi_services): HOST += -isystem /usr/include/efi \
	-isystem /usr/include/efi/x86_64 -DGNU_EFI_USE_MS_ABI

$B/kam: $(patsubst $B/san/%,$B/judge/%,$(JUDGE)) $(patsubst %.c,$B/judge/%.o,$(wildcard probes/*.c)) \
		$B/kern.o
	$(CC) -fsanitize=undefined -o $@ $^ -lunicorn -lcapstone -linih -ljansson -lpthread -lm \
		-z noexecstack

$B/san/tests/kam/%_test: $B/san/tests/kam/%_test.o $B/san/tests/kam/by_hand.o $(MODEL)
	$(CC) $(SAN) -o $@ $^ -lcmocka

$B/san/tests/kam/fake_test $B/san/tests/kam/load_test: $B/san/tests/kam/%_test: \
		$B/san/tests/kam/%_test.o $(FAKE) $B/san/tested.a $B/kern.o
	$(CC) $(SAN) -o $@ $^ -lcmocka -ljansson -lpthread -lm -z noexecstack
