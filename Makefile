# make [config=release|debug|sanitize|tsan] [werror=1] [CC=clang] [CROSS=aarch64-linux-gnu]; `make help` lists the targets.
config ?= release
ifeq ($(filter $(config),release debug sanitize tsan),)
$(error config=$(config): use release, debug, sanitize or tsan)
endif
# All processors, unless -j says otherwise.
processors := $(or $(shell nproc 2>/dev/null),1)
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(processors)
endif
# release writes build/posed*, the others build/<config>/posed*
out ?= $(if $(CROSS),build/$(CROSS),$(if $(filter release,$(config)),build,build/$(config)))
obj := $(out)/obj
# Programs that the build itself runs; with CROSS they are those of a build for this machine.
native := $(if $(CROSS),build,$(out))

# CROSS=aarch64-linux-gnu: for another processor, with Debian's cross compiler and the libraries of its multiarch packages
# (CROSS=... deploy/deps.sh build installs them).
ifneq ($(CROSS),)
CC := $(CROSS)-gcc
AR := $(CROSS)-ar
OBJCOPY := $(CROSS)-objcopy
PKG_CONFIG := PKG_CONFIG_LIBDIR=/usr/lib/$(CROSS)/pkgconfig:/usr/share/pkgconfig pkg-config
endif
PKG_CONFIG ?= pkg-config
OBJCOPY ?= objcopy
PYTHON ?= /usr/bin/python3

# Reports of sanitizers tell functions and lines: -g1. What a debugger shows of variables (CFLAGS=-g) would be a third of such a build.
CFLAGS ?= $(if $(filter sanitize tsan,$(config)),-g1,-g)
# -ffp-contract=off: a product and a sum fused on one machine and not on another would give other bits.
flags := -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wstrict-prototypes \
  -Wmissing-prototypes -Wdouble-promotion -Wwrite-strings -Wformat=2 -Wconversion -Wundef -fno-common \
  -ffp-contract=off -fstack-protector-strong -pthread
flags += $(if $(werror),-Werror)
flags_debug := -O0
flags_release := -O2 -D_FORTIFY_SOURCE=2
flags_sanitize := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
flags_tsan := -O1 -fsanitize=thread -fno-omit-frame-pointer
flags += $(flags_$(config))

# An include names the whole path: "layer/folder/header.h" of server/, "protocol/errors.def" of the tree.
includes := -Iserver -I. -I$(out)/gen

# posed-import loads posed-assimp.so where a model needs it
programs := $(out)/posed $(out)/posed-import $(out)/posed-assimp.so $(out)/posed-render $(out)/posectl
# what make install takes beside them
completions := $(out)/gen/posectl.bash $(out)/gen/posectl.zsh $(out)/gen/posectl.fish
installed := $(completions) $(out)/gen/posectl.1 $(out)/gen/posed.1 $(out)/libposed.a $(out)/libposed-eval.a $(out)/libposed-eval.so.2
# What this build is called; make version=TEXT says something else.
version = $(shell deploy/version.sh)

folder_objects = $(patsubst %.c,$(obj)/%.o,$(wildcard server/$(1)/*.c server/$(1)/*/*.c))
base := $(call folder_objects,base)
anim := $(call folder_objects,anim)
wire := $(call folder_objects,wire) $(obj)/server/wire/encode/draco_pack.o $(obj)/llhttp/llhttp.o $(obj)/llhttp/api.o $(obj)/llhttp/http.o
worker := $(call folder_objects,worker)
import := $(call folder_objects,import) $(obj)/server/import/gltf_file/draco.o
import_assimp := $(filter $(obj)/server/import/assimp/%,$(import))
render := $(call folder_objects,render)
daemon := $(call folder_objects,daemon)

# What the compiler and pkg-config tell is asked by recipes, once `deps` has installed them: = and not :=, and never while this
# file is read. Of an object: `asked`.
asked =
is_x86_64 = $(filter x86_64%,$(shell $(CC) -dumpmachine))
# FreeType's headers are in a folder of their own.
$(obj)/server/render/image/caption.o: asked = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags-only-I freetype2))
# OpenEXR's include each other without theirs.
$(obj)/server/render/passes/pass_exr.o: asked = $(patsubst -I%,-isystem %,$(shell $(PKG_CONFIG) --cflags-only-I OpenEXR))
# libjpeg-turbo does not tell its version itself, and renderers are named by those of their libraries.
$(obj)/server/render/image/jpeg_file.o: asked = -DPOSED_JPEG_VERSION='"$(shell $(PKG_CONFIG) --modversion libturbojpeg)"'

# Texels by the million, in loops that gcc unrolls and vectorises at -O3 only: a third of the time.
$(obj)/server/anim/light/mip.o $(obj)/server/render/image/ambient_occlusion.o: flags += $(if $(filter release,$(config)),-O3)

# Triangles and vertices by the ten thousand, for each picture: a fifth of their time.
$(filter $(obj)/server/render/gather/%,$(render)): flags += $(if $(filter release,$(config)),-O3)

# Vectors stay in registers where loops over rows and columns are unrolled.
$(filter $(obj)/server/anim/kernel/%,$(anim)) $(obj)/eval/server/anim/kernel/%.o: flags += $(if $(filter release,$(config)),-O3)

# Balls around joints by the thousand, for each raycast: vectors of their loops are worth a third of the time.
$(filter $(obj)/server/anim/hits/% $(obj)/server/anim/shape/%,$(anim)) $(obj)/eval/server/anim/hits/%.o $(obj)/eval/server/anim/shape/%.o: \
  flags += -fno-math-errno $(if $(filter release,$(config)),-O3)

libs_of = $(shell $(PKG_CONFIG) --libs $(1))
# wslay and meshoptimizer have no .pc files in Debian 12. draco is C++, linked by the C compiler.
libs_daemon = $(call libs_of,libuv libcjson nettle libxxhash zlib libzstd libturbojpeg libwebp draco libseccomp) -lwslay -lmeshoptimizer -lstdc++
libs_import = $(call libs_of,libcjson expat libpng libturbojpeg libwebp libzip nettle draco zlib libdeflate libzstd libseccomp) -lmeshoptimizer -lstdc++
libs_assimp = $(call libs_of,assimp)
# giflib has no .pc file. libturbojpeg: pictures as JPEG, at a third of the time of other encoders.
# Of OpenEXR only its core, which is C and needs zlib alone; its .pc file has the C++ libraries, too.
libs_render = $(call libs_of,libisal libdeflate libwebp libwebpmux libturbojpeg freetype2 zlib libseccomp) $(filter -lOpenEXRCore%,$(call libs_of,OpenEXR)) -lgif -ldl

# One short line a file; V=1 shows the commands.
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2);)

all: programs $(installed)
# What a container needs.
programs: $(programs)

# Installs the Debian packages that are missing; says nothing when there are none. NODEPS=1 skips it.
# For tests those of the tests, too, so that whoever has to ask root for them asks once.
deps:
	@deploy/deps.sh build $(if $(filter check test test-%,$(MAKECMDGOALS)),test) $(if $(filter clang %/clang,$(CC)),clang)

# The lights that are made by formula: posed tells them, posed-render draws with them.
wire += $(obj)/gen/environments.o

# posed_version(), in a file of its own that changes with the text: another commit compiles this file, and links what has it.
build_version := $(obj)/gen/version.o
$(out)/gen/version.c: always
	@mkdir -p $(@D)
	@text='$(version)' && test -n "$$text" && { grep -qsF " $$text\"" $@ || printf '%s\n' '#include "base/version.h"' '' '/* "@(#)" is what what(1) looks for. */' \
	  "static const char NAME[] = \"@(#)posed $$text\";" 'const char *posed_version(void) { return NAME + sizeof "@(#)posed"; }' > $@; }
# As libposed-eval needs it, which shows nothing but its own functions.
$(build_version): $(out)/gen/version.c | deps
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CFLAGS) $(flags) -fPIC -fvisibility=hidden $(includes) -c -MMD -MP -o $@ $<

$(out)/posed: $(daemon) $(wire) $(anim) $(filter-out %/version.o,$(base)) $(build_version)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) -lm
# Its fork server is linked once for many imports. What it loads later finds the rest of the importer in it.
$(out)/posed-import: $(filter-out $(import_assimp),$(import)) $(worker) $(anim) $(base)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -rdynamic -o $@ $^ $(libs_import) -lm
$(out)/posed-assimp.so: $(import_assimp)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -shared -o $@ $^ $(libs_assimp)
$(import_assimp): flags += -fPIC
$(out)/posed-render: $(render) $(worker) $(anim) $(base) $(obj)/gen/environments.o
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_render) -lm

$(obj)/%.o: %.c | deps
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CFLAGS) $(flags) $(asked) $(includes) -c -MMD -MP -o $@ $<

# One kernel for each width of vectors; which runs is chosen at start (server/anim/kernel/kernel.h).
$(obj)/server/anim/kernel/kernel_avx2.o: asked = $(if $(is_x86_64),-mavx2)
$(obj)/server/anim/kernel/kernel_avx512.o: asked = $(if $(is_x86_64),-mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)

# C++ only where a library is: shims with C headers. Linked by the C compiler, which has no typeinfo checks.
CXX := $(if $(CROSS),$(CROSS)-g++,$(if $(findstring clang,$(CC)),clang++,g++))
cxxflags = $(filter-out -std=% -Wstrict-prototypes -Wmissing-prototypes -Wdouble-promotion,$(flags)) -std=c++17 \
  $(if $(filter sanitize,$(config)),-fno-sanitize=vptr)
$(obj)/%.o: %.cpp | deps
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(CFLAGS) $(cxxflags) $(includes) -c -MMD -MP -o $@ $<

# Debian 12 ships llhttp as C sources. Strict mode, because the default lets request-smuggling forms through.
LLHTTP ?= /usr/share/llhttp
LLHTTP_INCLUDE ?= /usr/share/include/llhttp
$(obj)/server/wire/%.o $(obj)/llhttp/%.o: flags += -isystem $(LLHTTP_INCLUDE)
$(obj)/llhttp/%.o: | deps
	@mkdir -p $(@D)
	$(call say,CC,$(LLHTTP)/$*.c)$(CC) $(CFLAGS) $(filter-out -W%,$(flags)) -w -DLLHTTP_STRICT_MODE=1 -c -o $@ $(LLHTTP)/$*.c

# shaders/skin.vert becomes the C string shader_skin_vert in gen/shaders.h
$(render): | $(out)/gen/shaders.h
$(out)/gen/shaders.h: $(wildcard shaders/*.glsl shaders/*.vert shaders/*.geom shaders/*.frag)
	@mkdir -p $(@D)
	@for f in $^; do n=$$(basename $$f | tr . _); printf 'static const char shader_%s[] =\n' $$n; \
	  sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $$f; echo ';'; done > $@

# The lights that are made by formula, as data: their maps take a tenth of a second each.
environments := $(obj)/gen/environments.o
$(out)/make-environments: $(obj)/shaders/make_environments.o $(anim) $(base)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/gen/environments.c: $(native)/make-environments
	@mkdir -p $(@D)
	@$< > $@.part && mv $@.part $@
$(environments): $(out)/gen/environments.c
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CFLAGS) $(flags) $(includes) -c -o $@ $<

# --- clients/c: C99 and POSIX; clients/cli: posectl ---------------------------------------------------------------
client_c := $(obj)/clients/c/posed.o
cli := $(patsubst %.c,$(obj)/%.o,$(wildcard clients/cli/*.c clients/cli/*/*.c))
$(obj)/clients/c/%.o: flags := $(filter-out -std=% -D_GNU_SOURCE,$(flags)) -std=c99 -pedantic
# It joins the parts of long sheets with the renderer's encoders, so that they are the file that one request gives.
cli_encoders := $(patsubst %.c,$(obj)/%.o,$(wildcard server/render/image/image_sequence*.c) $(addprefix server/,render/image/picture_file.c render/image/png_file.c render/image/deflate.c render/image/jpeg_file.c render/image/webp_file.c render/image/quantizer.c base/buf.c base/err.c base/png_chunk.c base/utf8.c base/mem.c))
$(out)/posectl: $(cli) $(client_c) $(addprefix $(obj)/server/,daemon/support/standard_streams.o daemon/config/option_names.o base/nearest.o base/wrap.o) $(cli_encoders) $(build_version)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(call libs_of,libcjson libpng libisal libdeflate libwebp libwebpmux libturbojpeg nettle) -lgif -lm
$(out)/libposed.a: $(client_c)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^
client_tests := $(out)/test/client_probe $(out)/test/client_crowd $(out)/test/client_raycast $(out)/test/eval_raycast $(out)/test/flip_probe $(out)/example_skin $(out)/test/eval_probe $(out)/test/no_allocation $(addprefix $(out)/,example_pose example_hit example_crowd)
$(out)/test/client_probe: $(obj)/tests/clients/probe.o $(client_c)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^
$(out)/test/client_crowd $(out)/test/client_raycast: $(out)/test/client_%: $(obj)/tests/clients/%.o $(obj)/tests/clients/scene.o $(client_c)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^
$(out)/test/eval_raycast: $(obj)/tests/clients/eval_raycast.o $(obj)/tests/clients/scene.o $(client_c) $(out)/libposed-eval.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/test/flip_probe: $(obj)/tests/clients/flip_probe.o $(addprefix $(obj)/clients/cli/,moments/flip.o moments/picture_file.o output/text.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(call libs_of,libpng) -lm
$(out)/example_skin: $(obj)/clients/c/example_skin.o $(out)/libposed.a
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^
$(out)/test/eval_probe: $(addprefix $(obj)/tests/eval/,eval_probe.o probe_entity.o probe_hits.o probe_pose.o) $(out)/libposed-eval.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
# The library's calls alone: not those of libc to itself.
$(out)/test/no_allocation: $(addprefix $(obj)/tests/eval/,no_allocation.o no_allocation_crowd.o no_allocation_hits.o) $(out)/libposed-eval.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) $(foreach f,malloc calloc realloc aligned_alloc free,-Wl,--wrap=$(f)) -o $@ $^ -lm
example_crowd := $(addprefix $(obj)/clients/eval/,example_crowd.o example_crowd_library.o example_crowd_server.o)
$(out)/example_crowd: $(example_crowd) $(out)/libposed-eval.a $(out)/libposed.a
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/example_hit: $(obj)/clients/eval/example_hit.o $(out)/libposed-eval.a
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/example_pose: $(obj)/clients/eval/example_pose.o $(out)/libposed-eval.a
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(obj)/clients/eval/example_hit.o $(obj)/clients/eval/example_pose.o: includes += -Iclients/eval
library-examples: $(addprefix $(out)/,example_pose example_hit example_crowd)
$(example_crowd): includes += -Iclients/c -Iclients/eval
$(obj)/clients/cli/thumbs/gallery.o: $(out)/gen/gallery_page.h
# A page becomes a C string. '?' is escaped because of trigraphs.
page_string = @mkdir -p $(@D); { echo 'static const char $(1)[] ='; sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/"/; s/$$/\\n"/' $<; echo ';'; } > $@
$(out)/gen/gallery_page.h: clients/cli/thumbs/gallery.html
	$(call page_string,gallery_page)

# --- clients/eval: libposed-eval, the evaluator in another program's process -----------------------------------------
# The code of the server, compiled for a library that shows nothing but its own functions. No other layer is in it.
eval_layers = $(wildcard server/anim/retarget/*.c server/anim/humanoid/*.c server/anim/model/*.c server/anim/kernel/*.c server/anim/compiled/*.c server/anim/given/*.c server/anim/pose/*.c server/anim/entity/*.c server/anim/shape/*.c server/anim/hits/*.c server/anim/posed_file/*.c) \
  $(filter-out server/anim/bake/bake_finish%,$(wildcard server/anim/bake/*.c)) $(patsubst %,server/base/%.c,buf err hash json_check limits mem sort utf8)
eval_objects := $(patsubst %.c,$(obj)/eval/%.o,$(wildcard clients/eval/eval_*.c) $(eval_layers)) $(build_version)
# Programs link to this name; it changes when one that is linked could not run any more.
eval_so := libposed-eval.so.2
$(obj)/eval/%.o: %.c | deps
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CFLAGS) $(flags) -fPIC -fvisibility=hidden $(asked) $(includes) -c -MMD -MP -o $@ $<
$(obj)/eval/server/anim/kernel/kernel_avx2.o: asked = $(if $(is_x86_64),-mavx2)
$(obj)/eval/server/anim/kernel/kernel_avx512.o: asked = $(if $(is_x86_64),-mavx512f -mavx512vl -mavx512dq -mprefer-vector-width=512)
# One object, in which what is hidden is local: a program's own functions may have the same names.
$(out)/libposed-eval.a: $(eval_objects)
	$(call say,AR,$@)$(CC) -r -nostdlib -o $(obj)/posed-eval.o $^ && $(OBJCOPY) --localize-hidden $(obj)/posed-eval.o && rm -f $@ && $(AR) rcs $@ $(obj)/posed-eval.o && rm $(obj)/posed-eval.o
$(out)/$(eval_so): $(eval_objects) clients/eval/posed-eval.map
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -shared -Wl,-soname,$(eval_so) -Wl,--version-script=clients/eval/posed-eval.map \
	  -Wl,--as-needed -o $@ $(eval_objects) -lm
	@ln -sf $(eval_so) $(out)/libposed-eval.so

# Man pages and completions, from the tables of options.
$(out)/posed-man: $(obj)/deploy/man/posed_man.o $(filter-out %/main.o,$(daemon)) $(wire) $(anim) $(base)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) -lm
$(completions): $(out)/gen/posectl.%: $(native)/posectl
	@mkdir -p $(@D)
	@$< completion $* > $@.part && mv $@.part $@
$(out)/gen/posectl.1: $(native)/posectl
	@mkdir -p $(@D)
	@$< man > $@.part && mv $@.part $@
$(out)/gen/posed.1: $(native)/posed-man
	@mkdir -p $(@D)
	@$< > $@.part && mv $@.part $@

# What the pages at / and /m/ consist of. The list changes when a file comes or goes.
page_files := $(sort $(wildcard $(foreach e,html css js svg vert,clients/page/*/*.$(e)) clients/js/*.js shaders/*))
$(obj)/server/daemon/page/assets.o: $(out)/gen/page_assets.h
$(out)/gen/page_assets.h: server/daemon/page/assets.sh $(out)/gen/page_files $(page_files)
	@mkdir -p $(@D)
	@$< $(page_files) > $@.part && mv $@.part $@
$(out)/gen/page_files: always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(page_files)' ] || echo '$(page_files)' > $@
always:

test_sources := $(wildcard tests/unit/*/*.c)
test_objects := $(patsubst %.c,$(obj)/%.o,$(test_sources)) $(obj)/tests/unit/gltf/draco_encode.o
$(test_objects): | deps-test
tested := $(obj)/clients/c/posed.o $(addprefix $(obj)/clients/cli/,server/pattern.o sheet/apng_file.o output/text.o) $(filter-out %/main.o,$(daemon) $(wire) $(worker) $(import) $(render) $(anim) $(base)) $(obj)/gen/environments.o
# test_conn.c stands in for the dispatcher of its connections and for their clock, fake_imports.c for the import pool.
wrapped := dispatcher_handle send_queue_written send_queue_fini dispatcher_cancel dispatcher_answer_query dispatcher_begin_read \
           dispatcher_listen uv_now import_pool_new import_pool_free import_pool_submit import_pool_drop
$(out)/test/unit: LDFLAGS += $(foreach f,$(wrapped),-Wl,--wrap=$(f))
$(out)/test/unit: $(test_objects) $(tested)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) $(libs_import) $(libs_assimp) $(libs_render) $(call libs_of,cmocka) -lm

# The tests of the layers that are pure, which run for another processor, too: make test-arm.
pure_folders := anim bake bits documents encode hits http optimize packets proxy reply request
pure_support := main document fixture human parse_request png_pixels wire_model
pure_tests := $(filter-out %/test_content_hash.o %/test_printable_text.o %/test_reply_environment.o,$(foreach f,$(pure_folders),$(filter $(obj)/tests/unit/$(f)/%,$(test_objects)))) \
  $(pure_support:%=$(obj)/tests/unit/support/%.o)
# libwslay-dev of two processors cannot be installed at once: the library itself can.
libs_pure = $(call libs_of,libcjson nettle libpng libturbojpeg libwebp zlib libzstd draco) -l:libwslay.so.1 -lmeshoptimizer -lstdc++
$(out)/test/pure: $(pure_tests) $(obj)/clients/c/posed.o $(wire) $(anim) $(base) $(obj)/gen/environments.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_pure) $(call libs_of,cmocka) -lm

# The float writer beside the standard library's, which is C++.
$(out)/test/floats: $(obj)/tests/floats/floats.o $(obj)/server/wire/encode/number.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lstdc++
floats: deps-test $(out)/test/floats
	$(environment) $(PYTHON) tests/soak/floats.py $(if $(all),--all)

# --- samples: models made by a program of the project -----------------------------------------------------------
# In build/, so that builds of several configurations share them, unless all that is made goes elsewhere (a read-only checkout).
samples := $(if $(filter build build/%,$(out)),build,$(out))/samples
# For programs that find what was built by it; a checkout may lie in a path with blanks.
environment = POSED_BUILD='$(abspath $(out))' POSED_SAMPLES='$(abspath $(samples))'
$(out)/make-samples: $(patsubst %.c,$(obj)/%.o,$(wildcard deploy/samples/*.c)) $(anim) $(base)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(call libs_of,libpng) -lm
$(samples)/.made: $(native)/make-samples
	@mkdir -p $(@D)
	$< $(@D)
	@touch $@
samples: $(samples)/.made

# The same, imported: what tests for other processors evaluate, which run no importer.
baked_samples := $(samples)/baked/.made
$(out)/test/bake-samples: $(addprefix $(obj)/tests/,bits/bake_samples.o unit/gltf/gltf_run.o unit/support/root_files.o) $(filter-out $(import_assimp),$(tested))
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) $(libs_import) $(libs_render) -lm
$(baked_samples): $(native)/test/bake-samples $(samples)/.made
	@mkdir -p $(@D)
	$< $(@D) $(samples)/*.glb
	@touch $@

ifneq ($(CROSS),)
$(addprefix $(native)/,make-environments make-samples posectl posed-man test/bake-samples): always
	@$(MAKE) CROSS= config=release out=$(native) $@
endif

# --- run: make run [ROOT=dir] [HTTP=addr:port] [ARGS="..."] ------------------------------------------------------
ROOT ?= $(samples)
HTTP ?= 127.0.0.1:7878
# Paths may have spaces and quotes. ARGS is for the shell as it is.
quoted = '$(subst ','\'',$(1))'
space := $() $()
runs_samples = $(filter $(samples),$(subst $(space),?,$(ROOT)))
# What people write in place of ROOT, HTTP and ARGS would be ignored.
ifneq ($(filter run,$(MAKECMDGOALS)),)
run_typos := $(strip $(foreach name,root Root DIR dir MODELS models PORT port http args,$(if $(filter command,$(firstword $(origin $(name)))),$(name)=)))
$(if $(run_typos),$(error make run takes ROOT=, HTTP= and ARGS=, not $(run_typos)))
endif
run: all $(if $(runs_samples),samples)
	@deploy/run.sh $(out)/posed $(call quoted,$(ROOT)) --http $(call quoted,$(HTTP)) $(if $(runs_samples),--uploads $(ROOT)/uploads) $(ARGS)

# --- tests --------------------------------------------------------------------------------------------------------
# After `deps`: apt-get runs once at a time.
deps-check: deps
	@deploy/deps.sh test
# And what npm has, for the tests of the web.
deps-test: deps-check
	@[ -n "$(NODEPS)" ] || $(environment) tests/web/run.sh --install || echo 'deps: without what npm could not install the tests of make test-web are skipped'
fuzz_targets := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
# One program replays the corpora of all: the entry points, which have one name for fuzzers, get names of their own.
replay_targets := $(fuzz_targets:%=$(obj)/replay/%.o)
$(replay_targets): $(obj)/replay/%.o: tests/fuzz/fuzz_%.c | deps
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CFLAGS) $(flags) -DLLVMFuzzerTestOneInput=fuzz_$* $(includes) -c -MMD -MP -o $@ $<
$(obj)/tests/fuzz/support/replay.o: $(out)/gen/fuzz_targets.def
$(out)/gen/fuzz_targets.def: always
	@mkdir -p $(@D)
	@printf 'FUZZ_TARGET(%s)\n' $(fuzz_targets) > $@.part; cmp -s $@.part $@ || cp $@.part $@; rm $@.part
# posectl as a whole is a target, too.
fuzzed_code := $(sort $(tested) $(filter-out %/main.o,$(cli)))
replay := $(out)/test/replay
$(replay): $(replay_targets) $(addprefix $(obj)/tests/fuzz/,support/replay.o reader_target.o) $(fuzzed_code)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) $(libs_import) $(libs_assimp) $(libs_render) -lm
# `make test` replays the corpus under AddressSanitizer and UndefinedBehaviorSanitizer, whatever else it is built with.
# SANITIZE_CC: by another compiler, in a folder of its own.
SANITIZE_CC ?= $(CC)
sanitized := $(if $(filter sanitize,$(config)),$(out),$(out)/sanitize$(if $(filter-out $(CC),$(SANITIZE_CC)),-$(SANITIZE_CC)))
tsan := $(out)/tsan
# The library's example with sanitizers: address and undefined behaviour, and threads.
library-sanitized: | deps
	@$(MAKE) CC=$(SANITIZE_CC) config=sanitize out=$(sanitized) $(sanitized)/example_crowd
	@$(MAKE) config=tsan out=$(tsan) $(tsan)/example_crowd
replays-sanitized: | deps
	@$(MAKE) CC=$(SANITIZE_CC) config=sanitize out=$(sanitized) $(sanitized)/test/replay

suite_layers = layers=one:tests/layers.sh "calls=one:tests/calls.py $(obj)"
suite_unit = $(if $(t),"unit=cmocka:$(environment) $(out)/test/unit $(t)","unit-1=cmocka:$(environment) $(out)/test/unit --shard 1/2" "unit-2=cmocka:$(environment) $(out)/test/unit --shard 2/2")
# One test: its millions of floats would hide the others in the last line.
suite_floats = floats=one:$(out)/test/floats
pytest = $(environment) $(PYTHON) -m pytest -q -rfEs -p no:cacheprovider \
  -o junit_family=xunit1 --junitxml=\$$POSED_TIMES_XML
# The black-box tests of a file one after the other, files side by side: each has servers of its own.
# Two for each processor: a test waits for its server about half of the time.
pytest_api = $(pytest) -n $(shell expr 2 \* $(processors)) --maxprocesses 8 --dist loadfile
suite_sanitized = replay=replay:$(sanitized)/test/replay
suite_api = "api=pytest:$(pytest_api) tests/api"
suite_short = "api-short=pytest:$(pytest_api) -m short tests/api"
suite_web = "web=node:$(environment) tests/web/run.sh"
suite_python = "python=pytest:$(pytest) $(if $(t),-k '$(t)') clients/python/tests"
run_suites = $(PYTHON) tests/run.py --log $(out)/test/logs

test: test-programs
	@$(run_suites) --slots 2 $(suite_api) $(suite_web) $(suite_layers) $(suite_unit) $(suite_floats) $(suite_sanitized) $(suite_python)
# What the tests run, built.
test-programs: deps-test all samples $(baked_samples) $(out)/test/unit $(out)/test/floats $(client_tests) $(if $(filter sanitize,$(config)),$(replay),replays-sanitized) library-sanitized
# After an edit, in two minutes: what has changed since the last commit (or since=REF), by tests/areas.txt. The few of these tests that need
# what npm has install it themselves.
check: deps-check
	@deploy/deps.sh build lint
	+@$(PYTHON) tests/check.py --build $(out) $(if $(since),--since $(since)) all samples $(baked_samples) $(out)/test/unit $(client_tests)
# The slowest of the last run.
slow:
	@$(PYTHON) tests/times.py $(out)/test/logs/times.tsv
# What is worth repeating under sanitizers, beside the corpus, which `make test` replays under them.
test-short: deps-test all samples $(baked_samples) $(out)/test/unit $(client_tests)
	@$(run_suites) --slots 3 $(suite_short) $(suite_unit)
# The pure layers and the stored bits of what they evaluate: worth repeating with another compiler.
test-pure: deps-test $(baked_samples) $(out)/test/pure
	@$(run_suites) "pure=cmocka:$(out)/test/pure $(t)"
test-unit: deps-test $(baked_samples) $(out)/test/unit
	@$(run_suites) --slots 2 $(suite_unit)
# make test-api [t=words of pytest -k] [SERVER=host:port]
test-api: deps-test all samples $(client_tests)
	@$(run_suites) "api=pytest:$(if $(SERVER),POSED_SERVER=$(SERVER)) $(pytest_api) $(if $(t),-k '$(t)') tests/api"

# The tests of the pure layers compiled for AArch64, under emulation: the same results, and of what is evaluated the same bits as here
# (tests/unit/bits), by the library too. Not part of `make test`: it takes packages of another processor, and minutes. make test-arm [t=part of a name]
arm_cross := aarch64-linux-gnu
test-arm: deps-test all samples $(baked_samples)
	@deploy/deps.sh arm
	@$(MAKE) CROSS=$(arm_cross) NODEPS=1 config=release out=build/$(arm_cross) build/$(arm_cross)/test/pure build/$(arm_cross)/example_crowd
	@$(run_suites) "arm=cmocka:qemu-aarch64 build/$(arm_cross)/test/pure $(t)" \
	  $(if $(t),,"arm-library=pytest:POSED_EVAL_RUN=qemu-aarch64 POSED_EVAL_BUILD='$(abspath build/$(arm_cross))' $(pytest) tests/api/library/test_library_bits.py")

# make test-python [t=words of pytest -k]
test-python: deps-test all samples
	@$(run_suites) $(suite_python)

# The black-box tests of several loops, with a server that tells of races.
test-tsan: deps-test samples
	@$(MAKE) config=tsan $(tsan)/posed $(tsan)/posed-import $(tsan)/posed-assimp.so $(tsan)/posed-render
	@$(run_suites) "tsan=pytest:POSED_BUILD='$(abspath $(tsan))' POSED_SAMPLES='$(abspath $(samples))' $(PYTHON) -m pytest -q -p no:cacheprovider tests/api/daemon/test_loops.py"

# What has to pass before a change lands, with its times: all tests with gcc; the unit tests, the corpus and a short black-box set with
# clang, AddressSanitizer and UndefinedBehaviorSanitizer; the pure layers with clang -O2, whose bits are those of gcc; format, layers, types;
# what a newcomer does on a minimal Debian. Warnings are errors. Each is a make of its own: variables of this one are not passed on.
ci_make := $(MAKE) --no-print-directory werror=1
ci:
	@$(PYTHON) tests/run.py --log build/ci/logs --slots 2 "gcc=total:$(ci_make) SANITIZE_CC=clang test" \
	  then "clang-sanitize=total:$(ci_make) CC=clang config=sanitize out=build/sanitize-clang test-short" \
	  then "clang=total:$(ci_make) CC=clang out=build/clang test-pure" \
	  then "fresh=one:$(ci_make) fresh-test" "lint=one:$(ci_make) lint"

# make test-web [t=pattern of test names]
test-web: deps-test all samples
	@$(run_suites) $(if $(t),$(suite_web:run.sh"=run.sh '$(t)'"),$(suite_web))

# Makes the stored reference values of tests/oracle again, with three.js from npm as a second opinion.
refs: deps-test samples
	$(PYTHON) tests/oracle/refs.py $(samples) --write

# Draws the golden pictures anew and takes them as expected: look at each in tests/golden/index.html before committing.
goldens: deps-test all samples
	$(environment) $(PYTHON) tests/golden/goldens.py write

# posed's pictures beside those of three.js and Blender's Cycles, in build/beside: make beside [t='FILE.glb --light outdoor'].
# Without t it also draws the sheet of the documents.
beside: deps-test all samples
	@$(environment) $(PYTHON) tests/golden/beside.py $(or $(t),--size 128 --sheet protocol/beside.png)

# What deploy/ holds, by the programs that it is for: make deploy-test [t=words of pytest -k]
deps-deploy: deps-test
	@deploy/deps.sh deploy
	@tests/deploy/install.sh
	@$(environment) tests/web/run.sh --install || echo 'deploy-test: the JavaScript client will have no WebSocket'
deploy-test: deps-deploy all samples $(out)/test/client_probe
	@$(run_suites) "deploy=pytest:$(pytest) $(if $(t),-k '$(t)') tests/deploy"

# The long runs: every program in tests/soak, each of which closes with a line of totals. make soak [t=name]
soaks := $(sort $(wildcard tests/soak/*.py))
suite_soak = $(foreach f,$(if $(t),tests/soak/$(t).py,$(soaks)),"$(basename $(notdir $(f)))=total:$(environment) $(PYTHON) $(f)")
soak: deps-test all samples $(out)/test/floats library-sanitized
	@deploy/deps.sh soak
	@$(run_suites) $(suite_soak)

# posed beside what others use for the same, in one run: make bench [quick=1] [t=part of tests/bench/bench.py, or another program there]
$(out)/bench/load: $(addprefix $(obj)/tests/bench/load/,load.o load_run.o load_speech.o)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^
$(out)/bench/encode: $(obj)/tests/bench/programs/encode.o $(obj)/server/render/image/png_file.o $(obj)/server/render/image/deflate.o $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_render) $(call libs_of,libpng)
$(out)/bench/json_floats: $(obj)/tests/bench/programs/json_floats.o $(wire) $(anim) $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) -lm
$(out)/bench/draw: $(obj)/tests/bench/programs/draw.o $(filter-out %/main.o,$(render) $(daemon)) $(wire) $(worker) $(anim) $(base) $(obj)/gen/environments.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_render) $(libs_daemon) -lm
$(out)/bench/rays: $(obj)/tests/bench/programs/rays.o $(anim) $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/bench/crowd: $(obj)/tests/bench/programs/crowd.o $(out)/libposed.a $(out)/libposed-eval.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ -lm
$(out)/bench/pose: $(obj)/tests/bench/programs/pose.o $(filter-out %/main.o,$(daemon)) $(wire) $(worker) $(anim) $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) -lm
$(out)/bench/costs: $(obj)/tests/bench/programs/costs.o $(wire) $(anim) $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_daemon) -lm
$(out)/bench/classic_walk $(out)/bench/assimp_scene: $(out)/bench/%: $(obj)/tests/bench/programs/%.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CXX) $(CFLAGS) $(LDFLAGS) $(filter -fsanitize%,$(flags)) -o $@ $^ $(call libs_of,assimp)
$(out)/bench/import_fbx: $(obj)/tests/bench/programs/import_fbx.o $(filter-out %/main.o,$(import)) $(worker) $(anim) $(base)
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) $(LDFLAGS) -o $@ $^ $(libs_import) $(libs_assimp) -lm
bench_programs := $(addprefix $(out)/bench/,load encode json_floats draw pose rays crowd costs classic_walk assimp_scene import_fbx)
deps-bench: deps
	@deploy/deps.sh bench
	@$(environment) tests/web/run.sh --install || echo 'bench: there will be no three.js to compare with'
bench_run = $(environment) $(PYTHON) tests/bench/bench.py
bench: deps-bench all samples $(bench_programs)
	@$(bench_run) $(if $(quick),--quick) $(t)
# What the constants of server/wire/reply/cost.h would be on this machine, by the model t
costs: deps-test $(out)/bench/costs $(baked_samples)
	@$(out)/bench/costs $(or $(t),$(samples)/baked/robot.baked)
# The table and the picture of the last make bench (of a part with t=PART: only its table), in tests/bench/README.md
bench-readme: deps-test
	@$(bench_run) --readme $(t)

# The tables of deploy/scale.md: what loads need, by the bench's figures, and where models are in a large fleet.
scale: deps-test
	$(PYTHON) tests/scale/scale.py --write

# Makes deliberate mistakes in copies of the tree, one on each processor, and shows that the tests notice each.
mutations: deps-test programs samples $(baked_samples) $(out)/test/unit
	@$(PYTHON) tests/mutations.py '$(t)'

# make fuzz [t=bake] [T=60]: clang's libFuzzer for T seconds on one target or on each, starting from the corpus.
T ?= 60
fuzzed = $(or $(t),$(fuzz_targets))
fuzz:
	@for f in $(fuzzed); do test -f "tests/fuzz/fuzz_$$f.c" || { echo "make fuzz t=NAME, one of: $(fuzz_targets)"; exit 2; }; done
	$(MAKE) CC=clang config=sanitize out=build/fuzz CFLAGS='-g1 -fsanitize=fuzzer-no-link' $(fuzzed:%=build/fuzz/fuzz_%)
	@mkdir -p $(fuzzed:%=build/fuzz/corpus_%)
	@for f in $(fuzzed); do echo "== $$f"; build/fuzz/fuzz_$$f -max_total_time=$(T) -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
	  -artifact_prefix=build/fuzz/$$f- build/fuzz/corpus_$$f tests/fuzz/corpus/$$f || exit 1; done
$(out)/fuzz_%: $(obj)/tests/fuzz/fuzz_%.o $(obj)/tests/fuzz/reader_target.o $(fuzzed_code)
	$(call say,LINK,$@)$(CC) $(CFLAGS) $(flags) -fsanitize=fuzzer $(LDFLAGS) -o $@ $^ $(libs_daemon) $(libs_import) $(libs_assimp) $(libs_render) -lm

lint: $(bench_programs) # nothing else builds them
	@deploy/deps.sh build lint
	tests/layers.sh
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h' '*.cpp')
	cppcheck -q -j$(processors) --std=c11 --error-exitcode=1 --inline-suppr --enable=warning,portability \
	  --suppress=missingIncludeSystem --suppress=unknownMacro -Iserver -I. -Ibuild/gen server clients tests/unit tests/fuzz tests/bench tests/clients tests/eval deploy/samples deploy/man
	MYPYPATH=clients/python mypy --config-file clients/python/pyproject.toml --cache-dir=/dev/null clients/python/posed clients/python/examples/*.py

# The examples of protocol/tcp.md, as the server answers now: a difference is to be looked at, not to be committed.
examples: deps-test all
	$(PYTHON) tests/api/support/packet_examples.py --write

# The hashes of all answers whose bytes the tests store, once ANSWER_VERSION was raised: after goldens, examples and stored bits.
answers: deps-test all samples
	$(PYTHON) tests/api/support/stored_answers.py --write

# What tests measure about formats and glTF extensions, into protocol/conformance.tsv and the tables of protocol/formats.md: a minute. The
# same on every machine, because only files of the project count.
conformance_folder := $(abspath $(out))/test/logs/conformance
conformance_tests := $(addprefix tests/api/,answers/test_exact.py answers/test_fbx.py answers/test_refs.py export/test_compress.py \
  pictures/test_model_lights.py $(addprefix formats/,$(addsuffix .py,test_3ds test_bvh test_collada test_drawn_and_exported test_every_format \
  test_gltf_extensions test_gltf_files test_half_life test_ktx2 test_layers test_lwo test_materials test_md2 test_obj test_ogre test_static_formats \
  test_threemf test_tiff test_vertex_colours)))
conformance: deps-test all samples
	@rm -rf '$(conformance_folder)' && mkdir -p '$(conformance_folder)'
	@$(run_suites) "conformance=pytest:POSED_CONFORMANCE='$(conformance_folder)' $(pytest_api) $(conformance_tests)"
	tests/conformance_table.py '$(conformance_folder)' --write
	tests/formats_table.py --write

# The tables of protocol/formats.md, from protocol/formats.def and protocol/conformance.tsv.
readme: deps-test
	tests/formats_table.py --write

# The option types of the JavaScript client, from the server's table of parameters.
types:
	clients/js/option_types.py --write

# The shell blocks of documents, in namespaces of this machine: make documents-test [t=DOCUMENT]
documents-test: deps-test all samples library-examples
	@deploy/deps.sh documents
	@tests/documents/try_blocks.py $(t)

# What a newcomer does, on a minimal Debian 12: make fresh-test [t=run|documents|user|test]
fresh-test:
	@tests/fresh.sh $(t)

image-test:
	@deploy/image-test.sh
image-arm64:
	@deploy/image-arm64.sh

# Debian packages in build/deb, from a build of their own with the compiler flags of Debian's packages (hardening, no path of this tree).
deb: deb_out := build/deb/build
deb:
	@deploy/deps.sh build deb
	@CFLAGS="$$(dpkg-buildflags --get CFLAGS)" LDFLAGS="$$(dpkg-buildflags --get LDFLAGS) -Wl,-z,now" && export CFLAGS LDFLAGS && \
	  $(MAKE) config=release out=$(deb_out) NODEPS=1 all samples && deploy/deb.sh '$(CURDIR)' $(deb_out) '$(version)'

# --- install: make install PREFIX=/usr [LIBDIR=/usr/lib/TRIPLET] DESTDIR=stage -----------------------------------------------------------------
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/posed
	install -m 755 $(out)/posed $(out)/posectl $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $(out)/posed-import $(out)/posed-render $(DESTDIR)$(PREFIX)/libexec/posed/
	install -m 644 $(out)/posed-assimp.so $(DESTDIR)$(PREFIX)/libexec/posed/
	deploy/install-documents.sh $(DESTDIR)$(PREFIX)/share/doc/posed
	install -D -m 644 clients/c/posed.h $(DESTDIR)$(PREFIX)/include/posed.h
	install -D -m 644 $(out)/libposed.a $(DESTDIR)$(LIBDIR)/libposed.a
	install -m 644 clients/eval/posed_eval.h clients/eval/posed_eval_hits.h $(DESTDIR)$(PREFIX)/include/
	install -m 644 $(out)/libposed-eval.a $(DESTDIR)$(LIBDIR)/libposed-eval.a
	install -m 644 $(out)/$(eval_so) $(DESTDIR)$(LIBDIR)/$(eval_so)
	ln -sf $(eval_so) $(DESTDIR)$(LIBDIR)/libposed-eval.so
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/share/man/man1
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(version)|' clients/c/posed.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/posed.pc
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(version)|' clients/eval/posed-eval.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/posed-eval.pc
	install -m 644 $(out)/gen/posed.1 $(out)/gen/posectl.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -D -m 644 $(out)/gen/posectl.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/posectl
	install -D -m 644 $(out)/gen/posectl.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_posectl
	install -D -m 644 $(out)/gen/posectl.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/posectl.fish
	$(if $(DESTDIR),,@deploy/find-library.sh $(LIBDIR))

# With the same variables. What install places is what it places elsewhere.
uninstall: all
	@rm -rf $(out)/uninstall
	@+$(MAKE) -s --no-print-directory -o all install DESTDIR=$(abspath $(out))/uninstall PREFIX=$(PREFIX) LIBDIR=$(LIBDIR)
	@deploy/uninstall.sh $(out)/uninstall '$(DESTDIR)'
	@rm -rf $(out)/uninstall

help:
	@echo 'make                build build/posed, its workers, build/posectl, build/libposed.a and build/libposed-eval.*'
	@echo 'make run            build, start on the sample models, print what to try   [ROOT=dir HTTP=addr:port ARGS=...]'
	@echo 'make check          first after an edit: build, lint and tests of what has changed   [since=REF]'
	@echo 'make test           everything; the last line counts                       [config=sanitize]'
	@echo 'make slow           the slowest suites, files and tests of the last run, and how much processor time was idle'
	@echo 'make test-unit      the unit tests                                         [t=part of a name]'
	@echo 'make test-api       the black-box tests                                    [t=words SERVER=host:port]'
	@echo 'make test-python    the Python client over a real server                    [t=words]'
	@echo 'make test-web       the page at / in a browser, the JavaScript client       [t=pattern]'
	@echo 'make deploy-test    packages, units and files of deploy/, by programs of Debian  [t=words]'
	@echo 'make test-tsan      the tests of --loops, with ThreadSanitizer'
	@echo 'make test-arm       the unit tests of anim and wire for AArch64, under qemu        [t=part of a name]'
	@echo 'make library-examples   the examples of libposed-eval: build/example_pose, build/example_hit, build/example_crowd'
	@echo 'make library-sanitized  the example of libposed-eval under sanitizers: build/sanitize, build/tsan'
	@echo 'make test-short     unit tests and a short black-box set                    [config=sanitize]'
	@echo 'make test-pure      the unit tests of the pure layers, stored bits among them   [CC=clang out=build/clang]'
	@echo 'make ci             what .ci/run runs: all that has to pass before a change lands'
	@echo 'make refs           make the stored reference values again (needs npm)'
	@echo 'make goldens        draw the golden pictures again; look at tests/golden/index.html'
	@echo 'make beside         pictures beside those of three.js and Blender, in build/beside [t=FILE.glb]'
	@echo 'make soak           the long runs: damaged models, kills, attacks, conversions   [t=name of tests/soak]'
	@echo 'make floats          the JSON writer on 2^27 floats against the standard library  [all=1: on every one]'
	@echo 'make bench          measure beside others, print the table                 [t=name of tests/bench quick=1]'
	@echo 'make costs          measure the constants by which answers are sent to threads   [t=build/samples/baked/dragon.baked]'
	@echo 'make bench-readme   write the last table of make bench into tests/bench/README.md'
	@echo 'make scale          what loads need, and a fleet simulated: the tables of deploy/scale.md'
	@echo 'make fuzz           every fuzz target under libFuzzer                      [t=name T=60]'
	@echo 'make mutations      show that the tests notice deliberate mistakes              [t=word]'
	@echo 'make lint           format, static analysis, layers, types'
	@echo 'make examples        make the byte examples of protocol/tcp.md again'
	@echo 'make answers         record what answers are under a new ANSWER_VERSION'
	@echo 'make readme         make the tables of protocol/formats.md'
	@echo 'make conformance    measure what they say of formats and glTF extensions'
	@echo 'make types          make the option types in clients/js/posed.d.ts'
	@echo 'make samples        make the sample models in build/samples'
	@echo 'make deb            Debian packages of the server, posectl, the C client and libposed-eval, in build/deb'
	@echo 'make image-test     build the container image, run it, stop it'
	@echo 'make image-arm64    build the image for arm64 by a cross compiler, look whether it is whole'
	@echo 'make documents-test  run the shell blocks of documents, compare what they print      [t=DOCUMENT]'
	@echo 'make fresh-test     make run, the documents, make test of a user, each in a minimal Debian 12   [t=run, t=documents, t=user, t=test]'
	@echo 'make install        programs, C libraries, manual pages, documents           [PREFIX=/usr/local DESTDIR=]'
	@echo 'make uninstall      removes what make install with the same variables places'
	@echo 'make clean          remove build/'
	@echo
	@echo 'config=release|debug|sanitize|tsan (default release)   werror=1   CC=clang out=build/clang   CROSS=aarch64-linux-gnu   NODEPS=1   V=1'

-include $(shell find $(obj) -name '*.d' 2>/dev/null)

clean:
	rm -rf build

.PHONY: all check costs programs always test-programs slow ci test-pure replays-sanitized library-examples library-sanitized deps deps-test samples run test test-tsan test-short test-unit test-api test-python test-arm test-web refs goldens beside deploy-test deps-deploy deps-check documents-test soak floats bench bench-readme deps-bench scale mutations fuzz lint examples answers conformance readme types image-test image-arm64 deb fresh-test install uninstall help clean
