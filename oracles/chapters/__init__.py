"""The rules of each chapter of the documents: error conditions, postconditions, effects, query results, coverage."""
