"""One task: temporal-logic verification of plants that small ReLU networks control."""
