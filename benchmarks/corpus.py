"""Build programs of the corpus that its index lacks, and verify those that it has.

    python benchmarks/corpus.py build [--only PATTERN]
    python benchmarks/corpus.py verify [--only PATTERN]

`build` puts the programs of `corpus_names.py` whose name fits PATTERN (as h*.linearised.*) into the
index of their tier. Each is written when it is built, so that a run that was ended goes on.
`ringyard bench` then measures them, and `ringyard corpus learn` adds what it found.
`verify` makes every program of the index anew and compares digests; exit code 1 if one differs.
"""

# ruff: noqa: T201

import argparse
import sys
import time
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from corpus_names import hard_recipes, recipes

from ringyard.engines.programs import class_of, sizes_of
from ringyard.formulations.corpus.build import build_any, digest_of
from ringyard.formulations.corpus.index import CorpusEntry, ProgramRecipe, Tier, corpus
from ringyard.formulations.corpus.record import IndexFiles
from ringyard.instances import RingyardError
from ringyard.instances.catalogue import load


def build(only: str) -> None:
    """Build the programs that the index lacks, and put them there."""
    tiers: dict[Tier, list[ProgramRecipe]] = {
        "standard": list(recipes()),
        "hard": list(hard_recipes()),
    }
    for tier, wanted in tiers.items():
        for recipe in wanted:
            if not fnmatchcase(recipe.name, only) or recipe.name in corpus(tier):
                continue
            began = time.perf_counter()
            try:
                IndexFiles().put(_entry(recipe, tier))
                said = "built"
            except RingyardError as error:
                said = f"left out: {error}"
            print(f"{recipe.name}: {said}, {time.perf_counter() - began:.1f} s", flush=True)


def _entry(recipe: ProgramRecipe, tier: Tier) -> CorpusEntry:
    program = build_any(recipe)
    return CorpusEntry(
        name=recipe.name,
        family=load(recipe.instance).kind,
        kind=class_of(program),
        **sizes_of(program),
        digest=digest_of(program),
        tier=tier,
    )


def verify(only: str) -> int:
    """Compare digests of programs made anew with those on record; return how many differ."""
    differ = 0
    for name, entry in corpus().items():
        if fnmatchcase(name, only) and digest_of(build_any(entry.recipe)) != entry.digest:
            print(f"{name}: differs", flush=True)
            differ += 1
    print(f"{differ} programs differ")
    return differ


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["build", "verify"])
    parser.add_argument("--only", default="*")
    given = parser.parse_args()
    if given.what == "verify":
        return 1 if verify(given.only) else 0
    build(given.only)
    return 0


if __name__ == "__main__":
    sys.exit(main())
