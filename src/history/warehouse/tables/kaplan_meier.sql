-- How many seconds pass until a share of what began has ended, with what goes on: the product-limit estimate of
-- E. L. Kaplan and P. Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the American
-- Statistical Association 53 (1958), pages 457 to 481. Null where so large a share has not ended within what was seen.
--
-- lasting: a list of structs {seconds, goes_on}; what goes on was seen for so long. In their order, of n that last so
-- long or longer one ends or goes on: the part that survives becomes 1 - 1/n of what it was, or stays. The first one
-- after which no more than the rest survives is found by halving, in a sum of logarithms; a list of one is a name for
-- its value.
CREATE MACRO kaplan_meier(lasting, share) AS (
  list_transform([list_sort(lasting)], lambda sorted:
    list_transform(
      [list_transform(sorted, lambda each, nth: CASE WHEN each.goes_on THEN 0
        -- Of the last one nothing survives.
        WHEN nth = len(sorted) THEN -1e9 ELSE ln(1 - 1.0 / (len(sorted) - nth + 1)) END)],
      lambda logarithms: sorted[1 + list_reduce(
        list_prepend(0, list_transform(range(22, -1, -1), lambda power: CAST(2 ** power AS BIGINT))),
        lambda before, step: CASE WHEN before + step <= len(logarithms)
          -- A sum of logarithms is not exact.
          AND list_sum(logarithms[1:before + step]) > ln(greatest(1 - share, 1e-18)) + 1e-9 THEN before + step ELSE before END
      )].seconds
    )
  )[1][1]
)
