"""Broken predictors: each breaks a promise, and the contract suite says which."""

import numpy as np
import pandas as pd
import pytest

from crivo.testing import ContractError, FakePredictor, check_predictor


class OwnIndex(FakePredictor):
    def predict(self, rows):
        return super().predict(rows).reset_index(drop=True)


class Ranking(FakePredictor):
    def estimate(self, rows):
        prediction, scores = super().estimate(rows)
        rank = pd.Series(scores[:, 1]).rank(pct=True).to_numpy()
        return prediction, np.column_stack([1 - rank, rank])


class Restless(FakePredictor):
    def predict(self, rows):
        answer = super().predict(rows)
        return answer.assign(score=np.random.default_rng().random(len(answer)))


class Percent(FakePredictor):
    def predict(self, rows):
        return super().predict(rows).assign(score=lambda answer: 100 * answer["score"])


class OtherClasses(FakePredictor):
    def predict(self, rows):
        return super().predict(rows).assign(prediction="yes")


class Hesitant(FakePredictor):
    def predict(self, rows):
        return super().predict(rows).assign(prediction=False)


class ByPlace(FakePredictor):
    def predict(self, rows):
        answer = super().predict(rows)
        if isinstance(rows, pd.DataFrame) and "something_else" in rows:
            return answer.assign(score=0.5)
        return answer


class Tidying(FakePredictor):
    def predict(self, rows):
        answer = super().predict(rows)
        if isinstance(rows, pd.DataFrame):
            rows["amount"] = 0.0
        return answer


class Lenient(FakePredictor):
    def predict(self, rows):
        if isinstance(rows, pd.DataFrame):
            rows = rows.reindex(columns=self.columns)
            rows = rows.assign(amount=pd.to_numeric(rows["amount"], errors="coerce"))
        return super().predict(rows)


class Careless(FakePredictor):
    def predict(self, rows):
        if isinstance(rows, pd.DataFrame) and "pieces" in rows:
            rows = rows.assign(pieces=rows["pieces"].clip(lower=0))
        return super().predict(rows)


class Impatient(FakePredictor):
    def predict(self, rows):
        if len(rows) == 0:
            raise ValueError("no rows")
        return super().predict(rows)


BROKEN = [
    (OwnIndex, "answers_in_the_rows_index", "the index changed"),
    (Ranking, "one_row_or_many_are_equal", "row 1 alone got another answer"),
    (Restless, "same_rows_same_answers", "a second time the answers differ"),
    (Percent, "answers_are_valid", "a score is not between 0 and 1"),
    (OtherClasses, "answers_are_valid", "it predicts {'yes'}"),
    (Hesitant, "decides_by_the_threshold", "not predicted just where score >= 0.3"),
    (ByPlace, "ignores_other_columns", "changed the answer"),
    (Tidying, "leaves_its_rows_alone", "predict changed the table it was given (amount"),
    (Lenient, "names_a_missing_column", "rows without the column amount got an answer"),
    (Careless, "names_a_value_out_of_range", "rows with pieces below 0 got an answer"),
    (Lenient, "names_a_wrong_type", "rows with words for amount got an answer"),
    (Impatient, "takes_no_rows", "no rows"),
]


@pytest.mark.parametrize(("predictor", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_predictor_does_wrong(
    predictor: type, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_predictor(predictor(threshold=0.3))
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]
