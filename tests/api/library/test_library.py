"""libposed-eval as a library: its exports and dependencies, C and C++, together with the client of the server, without allocation, on
threads."""
import re
import shutil
import subprocess

import pytest

import sanitized_crowds
from conftest import BUILD, PATIENCE_S, REPOSITORY, SAMPLES, Server, is_sanitized

DRAWS = False

HEADERS = [REPOSITORY / "clients" / "eval" / name for name in ("posed_eval.h", "posed_eval_hits.h")]
STATIC, SHARED = BUILD / "libposed-eval.a", BUILD / "libposed-eval.so.2"
FUNCTIONS = set(re.findall(r"^PE_API [^(]*?\b(pe_\w+)\(", "".join(header.read_text() for header in HEADERS), re.M))
CODE = (REPOSITORY / "clients" / "eval" / "README.md").read_text()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A server with its files, and folder/NAME.posed."""
    folder = tmp_path_factory.mktemp("crowd")
    running = Server(SAMPLES, "--tcp", "127.0.0.1:0", draws=False)
    for name in "robot", "dragon", "octopus":
        (folder / f"{name}.posed").write_bytes(running.get(f"/v1/export?model={name}.glb&format=posed").body)
    running.folder = folder
    yield running
    running.end()


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, **options)


def symbols(*options):
    lines = run("nm", "-P", *options, check=True).stdout.splitlines()
    return {line.split()[0].split("@")[0] for line in lines if len(line.split()) > 1}


# --- what it is ---

def test_only_the_functions_of_the_header_are_seen():
    assert len(FUNCTIONS) > 25
    weak = {"POSED_EVAL_1"}  # the name of the version
    assert symbols("-D", "--defined-only", SHARED) - weak == FUNCTIONS
    extra = symbols("-g", "--defined-only", STATIC) - FUNCTIONS
    assert FUNCTIONS <= symbols("-g", "--defined-only", STATIC)
    # symbols that compilers add are allowed
    assert {name for name in extra if not re.match(r"_?_?(asan|odr_asan|DW\.|x86\.)|DW\.ref|__x86", name)} == set()


@pytest.mark.skipif(is_sanitized(), reason="sanitizers are libraries")
def test_it_needs_nothing_but_libc_and_libm():
    needed = set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", run("readelf", "-d", SHARED, check=True).stdout))
    assert {"libm.so.6", "libc.so.6"} >= {name for name in needed if not name.startswith("ld-linux")}
    assert "SONAME" in run("readelf", "-d", SHARED).stdout and "[libposed-eval.so.2]" in run("readelf", "-d", SHARED).stdout


@pytest.mark.skipif(is_sanitized(), reason="sanitizers have state of their own")
def test_it_has_no_state_of_its_own():
    """Its only writable data is one pointer, which only a server sets: the function to call when memory runs out."""
    rows = run("objdump", "-t", STATIC, check=True).stdout.splitlines()
    written = {line.split()[-1] for line in rows
               if re.search(r"\s(\.data|\.bss|\.tbss|\.tdata|\*COM\*)\s", line) and not line.split()[-1].startswith(".")}
    assert written == {"on_exhausted"}


# --- programs ---

def compile_and_run(tmp_path, compiler, standard, source, files, crowd):
    program = tmp_path / "program"
    flags = ["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-std={standard}", f"-I{HEADERS[0].parent}", f"-I{REPOSITORY / 'clients/c'}"]
    sanitize = ["-fsanitize=address,undefined"] if is_sanitized() else []
    run(compiler, *flags, *sanitize, source, "-o", program, *files, "-lm", check=True)
    shutil.copy(crowd.folder / "robot.posed", tmp_path / "robot.posed")
    return run(program, cwd=tmp_path)


def readme_program(tmp_path, ending):
    source = tmp_path / f"program{ending}"
    source.write_text(re.search(r"```c\n(.*?)```", CODE, re.S)[1])
    return source


@pytest.mark.parametrize("compiler, standard, ending", [("gcc", "c11", ".c"), ("g++", "c++11", ".cpp"), ("g++", "c++20", ".cpp"),
                                                        ("clang", "c11", ".c"), ("clang++", "c++17", ".cpp")])
def test_the_program_of_the_readme(tmp_path, crowd, compiler, standard, ending):
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    if is_sanitized() and not compiler.startswith("g"):
        pytest.skip("the library is gcc's")
    done = compile_and_run(tmp_path, compiler, standard, readme_program(tmp_path, ending), [STATIC], crowd)
    assert done.returncode == 0, done.stderr
    assert f"$ ./pose\n{done.stdout}```\n" in CODE


def test_the_shared_library_says_the_same(tmp_path, crowd):
    source = readme_program(tmp_path, ".c")
    first = compile_and_run(tmp_path, "gcc", "c11", source, [STATIC], crowd)
    shared = compile_and_run(tmp_path, "gcc", "c11", source, [SHARED, f"-Wl,-rpath,{BUILD}"], crowd)
    assert shared.returncode == 0 and shared.stdout == first.stdout, shared.stderr


def test_what_a_program_calls_its_own_functions_is_its_affair(tmp_path, crowd):
    """A program may use the library's internal names for its own functions, and both libraries at once."""
    source = tmp_path / "both.c"
    source.write_text("""
        #include <posed.h>
        #include <posed_eval.h>
        #include <stdio.h>
        int err_set(void);
        int hash64(void);
        int pose_evaluate(void);
        int mem_alloc(void);
        int entity_evaluate(void);
        int err_set(void) { return 1; }
        int hash64(void) { return 2; }
        int pose_evaluate(void) { return 3; }
        int mem_alloc(void) { return 4; }
        int entity_evaluate(void) { return 5; }
        int main(void)
        {
            struct pe_error error;
            struct pe_model *model;
            struct posed server = {0};
            struct posed_options options = {0};
            static unsigned char memory[4096];
            options.memory = memory;
            options.memory_bytes = sizeof memory;
            if (posed_connect(&server, "./nowhere", &options) != POSED_E_SYSTEM)
                return 1;
            if (pe_model_open("robot.posed", 0, &model, &error) < 0)
                return 2;
            pe_model_close(model);
            return err_set() + hash64() + pose_evaluate() + mem_alloc() + entity_evaluate() == 15 ? 0 : 3;
        }
        """)
    done = compile_and_run(tmp_path, "gcc", "c11", source, [STATIC, BUILD / "libposed.a"], crowd)
    assert done.returncode == 0, done.stderr


def test_nothing_is_allocated_after_opening(crowd):
    done = run(BUILD / "test" / "no_allocation", *sorted(crowd.folder.glob("*.posed")))
    assert done.returncode == 0, done.stdout + done.stderr
    count = re.fullmatch(r"(\d+) evaluations, 0 allocations\n", done.stdout)
    assert int(count[1]) > 200


# --- the examples ---

def test_the_program_of_the_readme_is_an_example():
    assert f"```c\n{(HEADERS[0].parent / 'example_pose.c').read_text()}```\n" in CODE


def test_the_examples_print_what_the_readme_shows(crowd):
    """All but the times."""
    shown = [block.splitlines() for block in re.findall(r"```console\n(.*?)```", CODE, re.S)]
    pairs = [(line[2:], block[i + 1:i + 2]) for block in shown for i, line in enumerate(block) if line.startswith("$ build/example_")]
    assert len(pairs) == 3
    for command, expected in pairs:
        program, *words = command.replace("127.0.0.1:7879", crowd.ports["tcp"]).split()
        done = run(BUILD / program.removeprefix("build/"), *words, cwd=crowd.folder)
        assert done.returncode == 0, done.stderr
        without_time = [re.sub(r"[\d.]+ us", "us", text) for text in (done.stdout.rstrip("\n"), *expected)]
        assert len(without_time) == 2 and without_time[0] == without_time[1], command


def hash_of(said):
    return re.search(r"hash ([0-9a-f]{16})\n", said)[1]


@pytest.mark.parametrize("name", ["robot", "dragon", "octopus"])
def test_the_crowd_has_the_same_floats_here_and_by_the_server(crowd, name):
    program, few = [BUILD / "example_crowd", crowd.folder / f"{name}.posed"], ["--entities", "40", "--ticks", "5"]
    here = run(*program, *few)
    assert here.returncode == 0, here.stderr
    threads = run(*program, *few, "--threads", "3")
    there = run(*program, *few, "--server", crowd.ports["tcp"], f"{name}.glb")
    assert there.returncode == 0, there.stderr
    assert hash_of(here.stdout) == hash_of(threads.stdout) == hash_of(there.stdout)


def test_the_shots_of_the_crowd_hit_the_same_in_each_round(crowd):
    done = run(BUILD / "example_crowd", crowd.folder / "robot.posed", "--entities", "20", "--ticks", "4", "--shots", "40", "--seconds", "0.3")
    assert done.returncode == 0, done.stderr
    assert int(re.search(r"(\d+) hits", done.stdout)[1]) > 20


def test_the_crowd_says_what_is_wrong(crowd, tmp_path):
    assert run(BUILD / "example_crowd").returncode == 2
    assert run(BUILD / "example_crowd", "a.posed", "--threads", "0").returncode == 2
    done = run(BUILD / "example_crowd", tmp_path / "none.posed")
    assert done.returncode == 1 and "none.posed': No such file" in done.stderr
    done = run(BUILD / "example_crowd", crowd.folder / "robot.posed", "--server", crowd.ports["tcp"], "nobody.glb")
    assert done.returncode == 1 and "nobody.glb" in done.stderr


@pytest.mark.parametrize("sanitizer", list(sanitized_crowds.PROGRAMS))
def test_eight_threads_share_a_model(crowd, sanitizer):
    program = sanitized_crowds.program(sanitizer)
    if program is None:
        pytest.skip("not built: make library-sanitized")
    status, said = sanitized_crowds.play(program, crowd.folder / "robot.posed", 1)
    assert status == 0, said
