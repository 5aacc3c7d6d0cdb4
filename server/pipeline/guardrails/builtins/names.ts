/** Given names and surnames that are common in English, German, French, Spanish and Italian, and others that travel. */

const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Names that are hardly ever something else. */
export const givenNames = setOf(`
Aaron Abdul Abdullah Abigail Adam Adriana Adrian Adrien Agnes Agnieszka Ahmad Ahmed Aisha Alan Alba Albert Alberto
Alejandra Alejandro Aleksandr Alessandra Alessandro Alessia Alex Alexander Alexandra Alexandre Alexis Alfred Alfredo Ali Alice
Alicia Alina Alison Allison Alonso Amanda Amandine Amelia Amelie Amina Amir Amit Amy Ana Anaïs Anastasia Anders Andrea
Andreas Andrej Andrés Andrew Andrzej Anette Angela Angelika Angélique Angus Anita Anja Anke Ann Anna Anne Annette Annika
Ansgar Anthony Antoine Antonella Antoni Antonia Antonio António Aoife Arjun Arne Arnaud Arthur Arturo Aurélie Aurora
Axel Ayşe Barbara Bastian Beatrice Beatriz Benedikt Benjamin Benoît Bernard Bernd Bernhard Bertrand Beth Bettina Bianca
Björn Boris Brandon Brenda Brian Bridget Brigitte Bruno Bryan Camila Camille Carla Carlo Carlos Carmen Carol Carolin
Caroline Carsten Caterina Catherine Cathy Cecilia Cédric Céline Cesare Chantal Charles Charlie Charlotte Chen
Chiara Chloé Chloe Chris Christa Christian Christiane Christina Christine Christoph Christophe Christopher Ciara Claire
Clara Claude Claudia Claudio Clémence Clément Clifford Colin Colleen Connor Corinna Cornelia Craig Cristiano Cristian
Cristina Curtis Cynthia Dagmar Damien Daniel Daniela Daniele Danielle Dariusz Darren Dave David Davide Deborah Debra
Denise Dennis Derek Detlef Diana Diane Diego Dieter Dietmar Dimitri Dirk Dmitri Dmitry Dominic Dominik Dominique Donald
Donna Doris Dorothea Dorothy Douglas Dylan Edoardo Eduardo Edward Edwin Elaine Eleanor Elena Eleni Elias Elif Elisa Elisabeth
Elise Elizabeth Elke Ellen Elliot Elodie Eloise Elsa Emanuele Emeka Emilia Emilie Émilie Emilio Emily Emma Emmanuel
Enrico Enrique Eric Erica Erich Erik Erika Ernesto Esteban Esther Ethan Étienne Eugene Eugenia Eva Evelyn Ewa Fabian
Fabien Fabio Fabrice Fatima Fatou Federica Federico Felipe Felix Ferdinand Fernanda Fernando Fernand Filippo Fiona
Florent Florian Frances Francesca Francesco Francis Francisco Franck François Françoise Franz Fred Frédéric
Frederick Friederike Friedrich Frieda Fritz Gabriel Gabriela Gabriele Gabrielle Gareth Gary Gavin Geoffrey George Georges Gerald
Gérard Gerd Gerhard Gertrud Giacomo Gianluca Gianni Gillian Gina Giorgia Giorgio Giovanna Giovanni Gisela Giulia Giulio
Giuseppe Gloria Gonzalo Gordon Graham Greg Gregory Greta Grégory Guido Guillaume Guillermo Günter Günther Gustav Gustavo
Hannah Hanna Hannes Hans Harald Harold Harry Harriet Hassan Heather Hector Héctor Heidi Heike Heiko Heinrich Heinz Helen
Helena Hélène Helga Helmut Hendrik Henri Henrik Henry Herbert Hermann Hilda Hildegard Hiroshi Holger Howard Hubert Hugo
Hussein Ian Ibrahim Ignacio Igor Ilaria Ilse Imran Inés Inês Ines Inga Ingeborg Ingo Ingrid Irene Irina Irma Isaac
Isabel Isabella Isabelle Isla Ivan Ivana Jacob Jacqueline Jacques Jaime Jakob Jakub James Jamie Jan Jana Jane Janet Janice
Janine Jason Javier Jeff Jeffrey Jennifer Jens Jeremy Jérôme Jessica Jill Jim Jimmy Joachim Joan Joana Joanna Joanne
João Joaquín Jochen Joe Joel Johan Johann Johanna Johannes John Jon Jonas Jonathan Jörg Jorge José Josef Joseph Joshua
Josephine Juan Juana Judith Julia Julian Juliana Julie Julien Julio Juliette Jürgen Justin Justine Kai Kamil Karen Karin
Karim Karl Karla Karoline Kate Katharina Katherine Kathleen Kathrin Kathy Katja Katrin Katarzyna Kayla Keith Kelly
Kenji Kenneth Kerstin Kevin Khadija Kieran Kim Kimberly Kirsten Klaus Konrad Konstantin Krzysztof Kurt Kyle Lara Larry
Lars Laura Laure Laurence Laurent Lauren Lea Léa Leah Lena Leo Leon Leonardo Leonie Leticia Liam Liesel Lillian Linda
Lisa Lorenzo Lorena Lotte Louis Louise Luca Lucas Lucia Lucía Lucie Lucy Ludovic Ludwig Luigi Luis Luisa Lukas Luke Lutz Lydia
Lynn Łukasz Magdalena Malik Manfred Manon Manuel Manuela Mandy Marc Marcel Marcelo Marco Marcos Marcus Margaret
Margarita Margot Maria María Mariana Marianne Marie Marina Mario Marion Marius Marjorie Marlene Marta Martha Martin Martina
Martine Mary Massimo Mateo Mathias Mathieu Mathilde Matilda Matt Matteo Matthew Matthias Matthieu Maureen Maurice Mauro
Maxime Maximilian Megan Mehmet Mei Melanie Mélanie Melissa Mercedes Meredith Mia Michael Michał Michel Michela Michele
Michelle Miguel Mikhail Mila Milan Miriam Mohamed Mohammad Mohammed Moira Moises Mónica Monica Monika Monique Moritz Muhammad
Mustafa Nadia Nadine Nancy Naomi Natalia Natalie Nathalie Nathan Neil Nele Nia Niamh Nicholas Nicola Nicolas
Nicole Niklas Nikolai Nils Nina Nicolás Noah Noémie Nora Norbert Norma Nuno Olaf Oleg Olga Oliver Olivia Olivier Omar Oscar
Otto Pablo Paola Paolo Pascal Patricia Patricio Patrick Paul Paula Pauline Paulo Pedro Peggy Penelope Pete Peter Petra
Philip Philipp Philippe Phillip Phyllis Pierre Pietro Pilar Piotr Pranav Priya Quentin Rachel Rafael Raffaele Rahul Rainer Rajesh
Ralf Ralph Ramón Ramona Raphael Raquel Rashid Raúl Raul Raymond Rebecca Regina Reinhard Renate Renato Renaud Rémi René
Ricardo Riccardo Richard Rita Robert Roberta Roberto Rodrigo Roger Roland Rolf Romain Roman Ronald Ronja Rosa Rosalind
Rosemary Roxane Roy Ruben Rubén Rüdiger Rudolf Rupert Russell Ruth Ryan Sabine Sabrina Salvador Salvatore Sam Samantha
Samir Samuel Sandra Sandrine Sanjay Santiago Sara Sarah Sascha Scott Sean Seán Sebastian Sébastien Serena Serge Sergei Sergio
Shannon Sharon Sheila Shirley Silke Silvia Simon Simona Simone Sinéad Siobhan Sofia Sofía Solène Sonia Sonja Sophia Sophie
Stefan Stefania Stefano Stefanie Stella Stephan Stéphane Stéphanie Stephanie Stephen Steve Steven Stuart Sunita Susan
Susanna Susanne Suzanne Svenja Svetlana Sven Sylvain Sylvia Sylvie Tamara Tania Tanja Tara Tatiana Teresa Terence Tereza
Thérèse Theo Theodor Theodore Theresa Thibault Thierry Thomas Thorsten Tiago Tim Timo Timothy Tina Tobias Todd Tom
Tomás Tomasz Tommaso Tony Torsten Tracy Trevor Tyler Udo Ulla Ulrich Ulrike Umberto Ursula Ute Uwe Valentin Valentina
Valeria Valérie Vanessa Vera Verena Veronica Veronika Véronique Vicente Victor Viktor Viktoria Vincent Vincenzo
Viola Virginie Vittoria Vivian Vladimir Volker Walter Waltraud Wanda Wayne Wendy Werner Wilhelm William Winfried
Wolfgang Xavier Ximena Yann Yannick Yasmin Yolanda Youssef Yuki Yusuf Yvette Yvonne Zoe Zoé Zofia
Abebe Adaeze Akira Amara Aoi Arash Asha Ayumi Bao Bjarne Blessing Chidi Chinedu Deepak Dilip Divya Emine Farah Farid Fatma Giang Hao Haruka Haruto
Hiba Hana Hye Ismail Jamal Jia Jin Jun Kamala Kavita Kenta Kofi Kwame Lakshmi Laila Lan Layla Leila Linh Ling Mahmoud Mariam Meera Mehdi Minh
Min-jun Nabil Naoko Neha Ngozi Nikhil Nkechi Olu Omari Oluwaseun Parisa Pooja Ravi Reza Rohan Saeed Sakura Sana Sanjana Seo-yeon Shreya Suresh
Taro Tariq Thabo Thanh Thi Tunde Uchenna Vijay Wei Xin Ying Yoko Yong Yuto Zainab Zeynep Zhen
`);

/** Names that are words, places or companies as well: they count with a known surname or a title only. */
export const ambiguousNames = setOf(`
Art August Austin Amber Aurore April Autumn Basil Bill Blake Bob Brad Brooke Carter Chad Chase Chelsea Cher Christian Claude Clay Cliff
Crystal Dale Dallas Dan Dawn Dean Dick Don Drew Duke Earl Ernst Eve Faith Flora Florence France Frank Franco Gene Georgia
Ginger Glen Grace Grant Guy Harmony Hazel Heath Holly Hope Iris Ivy Jack Jade Jasmine Jean Jay Jo Jordan Joy June Kent
Lance Lane Lee Leslie Lily Linus Lincoln Lorraine Madison Marina Mark Marin Max Maria May Melody Mercedes Mike Miles Nick Olive
Opal Paris Parker Pat Pearl Penny Pierce Ray Reed Rich Rob Robin Rocky Rod Rose Ruby Rusty Sally Sandy San Santa Santiago Saint Sierra
Skip Sky Stan Star Sterling Storm Sue Summer Sydney Taylor Ted Tiffany Val Van Verona Victoria Viola Virginia Ward Wade Will
`);

export const surnames = setOf(`
Adams Adeyemi Aguilar Ahmed Albrecht Alexander Allen Álvarez Alvarez Anderson Andersson Andersen Arnold Bailey Baker Barbieri Barnes
Bauer Baumann Beck Becker Bell Bennett Berger Bergmann Bernard Bertrand Bianchi Bonnet Boucher Boyer Böhm Brandt Braun Brooks Brown Brun
Bruno Bryant Butler Campbell Caputo Carpenter Carter Castillo Castro Chan Chapman Chavez Chen Chevalier Clark Clarke Clément Cohen Cole
Collins Colombo Conti Cooper Costa Cox Cruz Davies Davis De Delgado Diaz Díaz Dietrich Dominguez Domínguez Dubois Dufour
Dupont Dupuis Durand Edwards Ellis Engel Esposito Evans Faure Fernandez Fernández Ferrari Ferreira Fischer Fisher
Fleming Flores Fontaine Foster Fournier Franke Friedrich Fuchs Gallagher Gallo Garcia García Garnier Gauthier Gibson Giménez Girard
Giordano Gomez Gómez Gonzales Gonzalez González Graf Graham Gray Greco Green Griffin Groß Guerin Gupta Gutierrez Gutiérrez Haas Hahn
Hall Hamilton Hansen Harris Harrison Hartmann Hayes Heinrich Henderson Henry Hernandez Hernández Herrera Herrmann Hoffmann Hofmann
Horn Hughes Hussain Huber Iglesias Ivanov Ivanova Iyer Jackson Jäger Jansen Jenkins Jensen Jimenez Jiménez Johansson
Johnson Johnston Jones Jung Kaiser Kaur Keller Kelly Kennedy Khan Kim Klein Koch Köhler König Kowalski Kowalska Kramer Kraus Krause Krüger
Kuhn Kühn Kumar Lambert Lang Lange Larsen Laurent Leclerc Lee Lefebvre Lefèvre Legrand Lehmann Lemaire Leroy Lewis Li Lombardi Lopez
López Lorenz Ludwig Maier Mancini Marchand Marchetti Marino Markovic Marshall Martin Martinez Martínez Mason Mayer McCarthy McDonald Medina
Mehta Mendoza Mercier Meyer Miller Mitchell Moore Morales Moreau Morel Moreno Moretti Morgan Mori Morin Morris Möller Mueller Muller
Müller Murphy Murray Myers Nakamura Navarro Neumann Nguyen Nielsen Nowak O'Brien O'Connor O'Neill Okafor Olsen Olson Ortega Ortiz
Otto Owens Park Patel Pellegrini Perez Pérez Perrin Peters Petersen Peterson Petrov Phillips Pohl Popescu Powell Pratt Ramirez
Ramírez Ramos Reed Reyes Reynolds Ricci Richardson Richter Rinaldi Rivera Rizzo Robert Roberts Robertson Robinson Rodriguez
Rodríguez Rogers Romano Romero Rossi Roth Rousseau Roux Ruiz Russo Ryan Sanchez Sánchez Santoro Santos Sanders Sato Sauer
Schäfer Schmid Schmidt Schmitt Schmitz Schneider Scholz Schreiber Schröder Schubert Schulte Schulz Schulze Schumacher Schuster Schwarz
Scott Seidel Serrano Sharma Silva Simmons Simon Simpson Singh Smith Sommer Stein Stewart Sullivan Suzuki Tanaka Taylor Thomas
Thompson Thomson Torres Turner Tucker Vargas Vasquez Vázquez Vidal Vincent Vogel Vogt Wagner Walker Wallace Walsh Walter Wang
Watson Weber Webster Weiß Werner White Williams Williamson Wilson Winkler Winter Wolf Wong Wright Wu Yamamoto Yilmaz Yılmaz
Young Zhang Ziegler Zimmermann
`);

/** Surnames that are nouns, colours and trades as well: they make no name of an unknown word before them. */
export const ordinarySurnames = setOf(`
Arnold Bailey Baker Bauer Beck Becker Bell Berger Brooks Brown Butler Carpenter Carter Chapman Clark Cole Cooper Costa Cox Cruz De Engel
Fischer Fisher Fontaine Foster Fuchs Graf Gray Green Griffin Groß Hahn Hall Hamilton Horn Huber Jackson Jäger Jung
Kaiser Kelly Kennedy Klein Koch König Kramer Krause Lambert Lang Lange Lee Legrand Li Marchand Marshall Mason Mayer 
Miller Morgan Otto Owens Park Pratt Reed Richter Robert Roth Ryan Sanders Sauer
Schäfer Schmied Schneider Scholz Schreiber Schuster Schwarz Scott Silva Simon Sommer Stein Taylor Thomas 
Tucker Turner Vogel Wagner Walker Webster Weiß White Winter Wolf Wright Young
`);

/** Words with a capital letter behind a given name that make it a place, a company, a product or a day. */
export const otherNouns = setOf(`
Act Academy Airlines Airport Algorithm Analytics Arena Avenue Award Awards Bank Bay Bau Beach Boulevard Bridge Building Capital Care Castle Cathedral Center
Centre Church City Clinic Club Co Code College Commons Computer Corp Corporation Council County Court Cup Day Days Distribution District
Division Drive Effect Electric Energy Event Falls Festival Field Filter Forest Foundation Fund Gallery Garden Gardens GmbH Group Guide Hall Harbour Health Height High
Hill Hills Hospital Hotel House Inc Industries Inn Institute International Island Islands Key Lake Lane Law League Length Library Ltd
Mall Market Method Motors Mountain Museum Music Office Opera Palace Park Partners Path Pictures Place Plan Plaza Point Port Press Prize
Project Pro Protocol Range Records Report Resort Restaurant River Road Rock Route School Sea Series Server Services Size Song Square Stadium
State Station Store Street Studios Systems Tech Test Theater Theatre Theorem Time Tower Town Trail Transform Tree Trophy Trust University Valley Value Versand Verein Logistik Reisen Village
Week Weekend Width Wine Winery Works World Zone
January February March April May June July August September October November December
Monday Tuesday Wednesday Thursday Friday Saturday Sunday
Januar Februar März Mai Juni Juli Oktober Dezember Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
Straße Platz Allee Brücke Bahnhof Schule Universität Kirche Markt Museum Verlag Stiftung Preis Bank Haus Insel See Halle
I The A An And Or But If In On At By For From To With As Is Are Was Were He She It They We You His Her Their Our My This That
These Those When While Where What Which Who Why How Please Thanks Regards Best Dear Hello Hi
Der Die Das Ein Eine Und Oder Aber Wenn In Im Am Auf Mit Von Für Zu Zum Zur Ist Sind War Er Sie Es Wir Ihr
Le La Les Un Une Des Et Ou Mais Si Dans Sur Avec Pour Par Est Il Elle Nous Vous Ce Cette
El Los Las Una Y O Pero En Con Por Para Es Son Su Lo Gli Il Uno Del Della Che Per Sono
`);
