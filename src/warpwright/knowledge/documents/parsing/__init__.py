"""Files to sections: HTML, Markdown, text, PDF."""
