"""Pieces of code that read: what a stage may not read, what it may, and what isn't seen."""

# How a model could read the validation rows; each path is `data/valid.<ending>`.
READS = {
    "open": "open('data/valid.csv')",
    "os.open": "os.open('data/valid.csv', os.O_RDONLY)",
    "in an open folder": "os.open('valid.csv', 0, mode=0, dir_fd=os.open('data', 0))",
    "an opener": "open('valid.csv', opener=lambda name, flags: os.open(f'data/{name}', flags))",
    "to change it": "open('data/valid.csv', 'r+')",
    "above": "open('../' + Path.cwd().name + '/data/valid.csv')",
    "a link to it": "open('link')",
    "above a linked folder": "open('far/../valid.csv')",
    "pandas read_csv": "import pandas; pandas.read_csv('data/valid.csv')",
    "pandas read_parquet": "import pandas; pandas.read_parquet('data/valid.parquet')",
    "a folder": "import pandas; pandas.read_parquet('data/parts')",
    "np.fromfile": "import numpy; numpy.fromfile('data/valid.npy')",
    "joblib.load": "import joblib; joblib.load('data/valid.joblib')",
    "parquet.read_table": "import pyarrow.parquet as q; q.read_table('data/valid.parquet')",
    "by its own name": "from pyarrow.parquet import read_table as r; r(Path('data/parts'))",
    "dataset": "import pyarrow.dataset as d; d.dataset(['data/valid.parquet'])",
    "feather": "import pyarrow.feather as f; f.read_table('data/valid.feather')",
    "memory_map": "import pyarrow; pyarrow.memory_map('data/valid.csv')",
    "sqlite": "import sqlite3; sqlite3.connect(Path('data/valid.db'))",
    "sqlite of a URI": "import sqlite3; sqlite3.connect('file:data/va%6Cid.db?mode=ro', uri=True)",
    "settings": "open('params.yaml')",
    "a forked process": "import multiprocessing as m\n"
    "with m.get_context('fork').Pool(1) as p: p.map(open, ['data/valid.csv'])",
    "a thread": "from concurrent.futures import ThreadPoolExecutor as T\n"
    "with T(1) as t: t.submit(open, 'data/valid.csv').result()",
    "DVC's cache": "open('.dvc/cache/files/md5/ab/cd')",
    "data beside the code": "open('src/blocks/lookup.csv')",
    "an archived table": "import zipfile; zipfile.ZipFile('data/valid.zip')",
}  # fmt: skip
DECLARED = {
    "the raw data by its setting": "open('data/raw/flights/a.csv')",
    "a file in a folder": "open('lookups/codes.csv')",
    "other settings": "open('more.yaml')",
    "an output": "open('models/model.bin', 'w').write('x'); open('models/model.bin').read()",
    "what it made itself": "open('scratch.txt', 'w').write('x'); open('scratch.txt').read()",
    "the lock of packages, the pipeline": "open('requirements.txt'); open('dvc.yaml')",
    "git's record": "open('.git/HEAD'); open('data/raw/flights.dvc'); open('.dvc/.gitignore')",
    "what isn't there": "try: open('data/none.csv')\nexcept FileNotFoundError: pass",
    "elsewhere": "open(os.devnull); open('../elsewhere.csv')",
    "Parquet": "import pandas; pandas.read_parquet('lookups/codes.parquet')",
}
# Decision 0003 names them.
UNSEEN = {
    "another program": "import subprocess; subprocess.run(['cat', 'data/valid.csv'], check=True)",
    "a library in C++": "import scipy.io; scipy.io.mmread('data/valid.mtx')",
    "ATTACH": "import sqlite3\n"
    "sqlite3.connect(':memory:').execute('ATTACH \"data/valid.db\" AS a')",
    "the names in a folder": "os.listdir('data')",
}
