-- How many seconds pass until a share of what began has ended, with what goes on: the product-limit estimate of
-- E. L. Kaplan and P. Meier, "Nonparametric Estimation from Incomplete Observations", Journal of the American
-- Statistical Association 53 (1958), pages 457 to 481. Null where so large a share has not ended within what was seen.
--
-- lasting: a list of structs {seconds, goes_on}; what goes on was seen for so long. In their order, of n that last so
-- long or longer one ends or goes on: the part that survives becomes 1 - 1/n of what it was, or stays.
CREATE MACRO kaplan_meier(lasting, share) AS (
  list_reduce(
    list_append(
      list_transform(list_sort(lasting), lambda each, nth: {
        seconds: CAST(each.seconds AS DOUBLE),
        surviving: CASE WHEN each.goes_on THEN 1.0 ELSE 1 - 1.0 / (len(lasting) - nth + 1) END
      }),
      {seconds: CAST(NULL AS DOUBLE), surviving: 0.0}
    ),
    -- A product of shares is not exact.
    lambda before, each: CASE WHEN before.surviving <= 1 - share + 1e-9 THEN before
      ELSE {seconds: each.seconds, surviving: before.surviving * each.surviving} END
  ).seconds
)
