"""A model is trained with scikit-learn: its data, its metrics and the model itself become part of the lineage.

    pip install scikit-learn
    python examples/ml_pipeline.py [FOLDER]
    LINEAGE_HUB_URL=http://127.0.0.1:8000 python examples/ml_pipeline.py [FOLDER]

Files are written to FOLDER, a temporary one unless given. Without a hub the events are printed. With one, ask it
afterwards what the model was made from: lineage-hub lineage FOLDER/model.joblib --direction upstream
"""

import csv
import sys
import tempfile
from pathlib import Path

import joblib
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import train_test_split

from lineage_hub.sdk import configure, current_run, flush, lineage_track, track

Table = list[list[float]]


def write(path: Path, rows: Table) -> Path:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    return path


def read(path: Path) -> Table:
    with path.open(newline="") as lines:
        return [[float(value) for value in row] for row in csv.reader(lines)]


# An output is known when the function has returned: its path is a function of the result.
@lineage_track("load_features", inputs={"type": "api", "name": "sklearn.iris"}, outputs=Path.as_posix)
def load_features(folder: Path) -> Path:
    features, classes = load_iris(return_X_y=True)
    return write(folder / "features.csv", [[*row, label] for row, label in zip(features, classes, strict=True)])


@lineage_track("split", inputs=Path.as_posix, outputs=lambda parts: [str(part) for part in parts])
def split(features: Path) -> tuple[Path, Path]:
    train, test = train_test_split(read(features), test_size=0.3, random_state=7)
    return write(features.with_name("train.csv"), train), write(features.with_name("test.csv"), test)


@lineage_track("train", inputs=Path.as_posix, outputs=Path.as_posix)
def train(rows: Path) -> Path:
    table = read(rows)
    model = LogisticRegression(max_iter=500)
    model.fit([row[:-1] for row in table], [row[-1] for row in table])
    if run := current_run():
        run.add_facet("ml_model", {"kind": type(model).__name__, "parameters": model.get_params(), "rows": len(table)})
    path = rows.with_name("model.joblib")
    joblib.dump(model, path)
    return path


@lineage_track("evaluate", inputs=lambda model, test: [str(model), str(test)])
def evaluate(model: Path, test: Path) -> dict[str, float]:
    table = read(test)
    expected = [row[-1] for row in table]
    found = joblib.load(model).predict([row[:-1] for row in table])
    metrics = {
        "accuracy": float(accuracy_score(expected, found)),
        "f1_macro": float(f1_score(expected, found, average="macro")),
    }
    if run := current_run():
        run.add_facet("ml_metrics", metrics)
    return metrics


def main(folder: Path) -> None:
    configure(namespace="ml-example")
    with track("iris_model", description="From features to a model that is measured."):
        train_rows, test_rows = split(load_features(folder))
        model = train(train_rows)
        metrics = evaluate(model, test_rows)
    print(", ".join(f"{name} {value:.3f}" for name, value in metrics.items()))
    flush(10)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]).resolve())
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
