"""What saving and loading an optimizer checkpoint needs: the formula, the models, the table, the chart, the command."""
